import { existsSync, readFileSync } from "node:fs";
import { decode } from "@toolrig/json";
import { expect, test } from "vitest";
import { canonicalJson } from "../canonical.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { coerce } from "./coerce.ts";

/** Cases of other projects, kept beside a checkout and never inside it. */
const CORPUS = new URL("../../../../../shared/corpora/coerce/coerce.dev.jsonl", import.meta.url);

interface Case {
  id: string;
  category: string;
  schema: JsonSchema;
  input?: unknown;
  input_text?: string;
  expected?: unknown;
  error?: boolean;
  policy?: boolean;
  idiosyncratic?: boolean;
  passthrough?: boolean;
}

test("coerces at least 92% of the public cases as their sources do", ({ skip }) => {
  if (!existsSync(CORPUS)) skip("the corpus is not beside this checkout");
  const cases = readFileSync(CORPUS, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case)
    .filter((each) => !each.policy && !each.idiosyncratic && !each.passthrough);
  const misses = cases.filter((each) => !isAsExpected(each)).map(({ id, category }) => `${category} ${id}`);
  expect(cases.length).toBeGreaterThan(100);
  expect(1 - misses.length / cases.length, `misses:\n${misses.join("\n")}`).toBeGreaterThanOrEqual(0.92);
});

function isAsExpected(each: Case): boolean {
  const input = each.input_text === undefined ? each.input : decoded(each.input_text, each.schema);
  const { ok, value } = coerce(input, each.schema, { trusted: false });
  if (each.error === true) return !ok;
  return ok && canonicalJson(value) === canonicalJson(each.expected);
}

function decoded(text: string, schema: JsonSchema): unknown {
  const outcome = decode(text, { schema });
  return outcome.ok ? outcome.value : undefined;
}
