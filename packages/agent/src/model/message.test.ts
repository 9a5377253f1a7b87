import { expect, test } from "vitest";
import { newCallId } from "./message.ts";

test("a new call id is one that every provider takes, Mistral with its nine letters and digits included", () => {
  const ids = Array.from({ length: 10_000 }, newCallId);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
