import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "./sha256.ts";

test("agrees with the platform at every length around a block's edge", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = randomBytes(length);
    expect(sha256(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});

test("hashes text as UTF-8", () => {
  const text = "naïve café — 日本 🎉".repeat(50);
  expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
});
