import { newId } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { idCell } from "../../../../packages/cli/src/terminal/cell.ts";
import { shortId } from "./short-id.ts";

test("the third calls of two processes do not look the same", () => {
  const ids = ["exec_5cb707aa11bb22cc33dd.00000003", "exec_0fe1c2aa11bb22cc33dd.00000003"];
  expect(ids.map(shortId)).toEqual(["5cb707.3", "0fe1c2.3"]);
});

test("an id is as the command line shows it", () => {
  for (const id of [newId("exec"), newId("run"), "run_00000000000000000000.000001zz"])
    expect(shortId(id)).toBe(idCell(id).short);
});

test("an id of somebody else's is its end", () => {
  expect(shortId("call_71v2ly14")).toBe("71v2ly14");
  expect(shortId("c1")).toBe("c1");
});
