// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema.
import { expect, test } from "vitest";
import { validatorFor } from "./validate.ts";

/** Of this text nobody can say in bounded time whether it is like the pattern. */
const TEXT = `evil ${"x".repeat(3_000_000)}`;
const DOUBT = { pattern: "(evil|rm\\s+-rf|dd\\s+if=)" };
const YES = { minLength: 1 };
const NO = { maxLength: 1 };

test.each<[schema: Record<string, unknown>, answer: boolean | undefined]>([
  [DOUBT, undefined],
  [{ not: DOUBT }, undefined],
  [{ not: { not: DOUBT } }, undefined],
  [{ allOf: [DOUBT, YES] }, undefined],
  [{ allOf: [DOUBT, NO] }, false],
  [{ not: { allOf: [DOUBT, NO] } }, true],
  [{ anyOf: [DOUBT, YES] }, true],
  [{ anyOf: [DOUBT, NO] }, undefined],
  [{ not: { anyOf: [DOUBT, YES] } }, false],
  [{ oneOf: [DOUBT, NO] }, undefined],
  [{ oneOf: [DOUBT, YES] }, undefined],
  [{ oneOf: [DOUBT, YES, YES] }, false],
  [{ oneOf: [NO, NO] }, false],
  [{ if: DOUBT, then: YES, else: YES }, true],
  [{ if: DOUBT, then: NO, else: NO }, false],
  [{ if: DOUBT, then: YES, else: NO }, undefined],
  [{ if: { not: DOUBT }, then: NO }, undefined],
  [{ if: YES, then: DOUBT }, undefined],
  [{ if: NO, then: DOUBT }, true],
  [{ format: "url" }, undefined],
  [{ not: { format: "url" } }, undefined],
  [{ format: "url", ...NO }, false],
])("what is in doubt stays so unless the rest decides: %j", (schema, answer) => {
  expect(validatorFor(schema).decide(TEXT)).toBe(answer);
  expect(validatorFor({ properties: { text: schema } }).decide({ text: TEXT })).toBe(answer);
});

test.each<[schema: Record<string, unknown>, answer: boolean | undefined]>([
  [{ items: DOUBT }, false],
  [{ items: { anyOf: [DOUBT, { maxLength: 4 }] } }, undefined],
  [{ items: { allOf: [DOUBT, { maxLength: 9 }] } }, false],
  [{ contains: DOUBT }, true],
  [{ contains: DOUBT, minContains: 2 }, undefined],
  [{ contains: DOUBT, minContains: 3 }, false],
  [{ contains: DOUBT, maxContains: 1 }, undefined],
  [{ contains: DOUBT, maxContains: 0 }, false],
  [{ not: { contains: DOUBT, minContains: 2 } }, undefined],
  [{ not: { contains: DOUBT, minContains: 3 } }, true],
])("lists with a text in doubt and one that matches: %j", (schema, answer) => {
  expect(validatorFor(schema).decide([TEXT, "evil", "good"])).toBe(answer);
});

test("a value that is decided is not looked at twice", () => {
  const validator = validatorFor({ not: DOUBT });
  expect([validator.decide("good"), validator.decide("evil")]).toEqual([true, false]);
});
