import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the tour shows a call repaired, retried, denied, timed out, in a batch and crashed", () => {
  const main = join(import.meta.dirname, "main.ts");
  const output = execFileSync(process.execPath, ["--conditions=@toolrig/source", main], { encoding: "utf8" });
  const [, repaired, retried, denied, timedOut, batch, crash] = output.split(/^\d\. /m);
  expect(repaired).toMatch(/repaired +unquoted-key.*\n.*attempt .*"limit":2/);
  expect(retried?.match(/─ .* retry +in /g)).toHaveLength(2);
  expect(retried).toMatch(/ok .* after 3 attempts/);
  expect(denied).toMatch(/deny +guard protect-main/);
  expect(denied).not.toMatch(/─ .* run /);
  expect(timedOut).toMatch(/timeout +TOOL_TIMEOUT.*\n.*└─ .* late /);
  expect(batch?.match(/└─ .* ok /g)).toHaveLength(3);
  expect(crash).toMatch(
    /├─ count_words .*\n.*│ {2}├─ .* attempt .*\n.*│ {2}├─ .* threw .*\n.*│ {2}└─ .* fatal +TOOL_EXECUTION_FAILED/,
  );
  expect(output).toContain("9 calls, 9 results");
  expect(output).not.toContain("\u001b");
});
