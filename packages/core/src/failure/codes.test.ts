import { expect, test } from "vitest";
import { CODE_OF, HTTP_STATUS, JSON_RPC_CODE, KIND_OF } from "./codes.ts";

const kinds = Object.keys(CODE_OF).sort();

test("every kind has a code, an HTTP status and a JSON-RPC code", () => {
  for (const map of [HTTP_STATUS, JSON_RPC_CODE]) expect(Object.keys(map).sort()).toEqual(kinds);
  expect([...new Set(Object.values(KIND_OF))].sort()).toEqual(kinds);
});

test("JSON-RPC codes tell all kinds apart", () => {
  const rpc = Object.values(JSON_RPC_CODE);
  expect(new Set(rpc).size).toBe(rpc.length);
});

test("the code for a kind belongs to it; only validation shares one, with fatal", () => {
  for (const [kind, code] of Object.entries(CODE_OF)) {
    if (kind !== "validation") expect(KIND_OF[code]).toBe(kind);
  }
  expect(CODE_OF.validation).toBe(CODE_OF.fatal);
});
