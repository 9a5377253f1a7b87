/** The page about failures has every code, kind and passing fault that there is, and none that there is not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Executor, tool } from "@toolrig/core";
import { HTTP_STATUS, JSON_RPC_CODE } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { EXIT_CODE } from "../packages/cli/src/shell/exit-code.ts";

const page = readFileSync(join(import.meta.dirname, "failures.md"), "utf8");
const source = (file: string) =>
  readFileSync(join(import.meta.dirname, "../packages/core/src/failure", file), "utf8");
const firstCells = (title: string) => {
  const [, section = ""] = page.split(`## ${title}\n`);
  const rows = section.split("\n## ")[0]!.matchAll(/^\| `(\w+)` \|/gm);
  return new Set(Array.from(rows, ([, cell = ""]) => cell));
};
const union = (name: string) => {
  const [, members = ""] = source("codes.ts").split(`export type ${name} =`);
  return new Set(Array.from(members.split(";")[0]!.matchAll(/"(\w+)"/g), ([, member = ""]) => member));
};

test("it lists all codes", () => {
  expect(firstCells("Codes of calls")).toEqual(union("FailureCode"));
  expect(firstCells("Codes of errors")).toEqual(union("ErrorCode"));
});

test("it lists all kinds with what each is over the wires", () => {
  const rows = Object.entries(EXIT_CODE).map(([kind, exit]) => {
    const known = kind as keyof typeof EXIT_CODE;
    return [kind, HTTP_STATUS[known], exit, JSON_RPC_CODE[known]].join();
  });
  const [, section = ""] = page.split("## Kinds\n");
  const told = section.matchAll(/^\| `(\w+)` \|.*\| (\d+) \| (\d+) \| (-\d+) \|$/gm);
  expect(Array.from(told, ([, ...cells]) => cells.join()).sort()).toEqual(rows.sort());
});

test("it lists what counts as transient, and that does", async () => {
  const [, section = ""] = page.split("## What counts as transient\n");
  const statuses = Array.from(section.matchAll(/\b[45]\d\d\b/g), ([status]) => Number(status));
  const codes = Array.from(section.matchAll(/\b(?:E[A-Z]{2,}|EAI_AGAIN|UND_ERR_\w+)\b/g), ([code]) => code);
  const listed = source("classify.ts").split("/**\n * What a thrown")[0]!;
  expect(new Set([...statuses.map(String), ...codes])).toEqual(
    new Set(Array.from(listed.matchAll(/"(\w+)"|\b(\d{3})\b/g), ([, code, status]) => code ?? status)),
  );
  const thrown = [...statuses.map((status) => ({ status })), ...codes.map((code) => ({ cause: { code } }))];
  const flaky = tool({
    name: "flaky",
    description: "Throw one of them",
    input: { type: "object", properties: { at: { type: "integer" } }, required: ["at"] },
    execute: ({ at }) => Promise.reject(Object.assign(new Error("passing"), thrown[at])),
  });
  const calls = thrown.map((_, at) => ({ id: String(at), name: "flaky", arguments: { at } }));
  for (const { failure } of await new Executor({ tools: [flaky] }).batch(calls))
    expect(failure?.kind).toBe("transient");
});
