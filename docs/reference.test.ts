/** The reference says what the built packages declare: whoever changes a door runs `npm run reference` and shows what changed. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

test("the reference is up to date", async () => {
  const cwd = join(import.meta.dirname, "..");
  const { stderr } = await run("node", ["scripts/reference/main.ts", "--check"], { cwd }).catch(
    (error) => error,
  );
  expect(stderr).toBe("");
});
