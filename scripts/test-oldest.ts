/** Runs what depends most on Node itself, the store and the start of the CLI, on the oldest Node that the packages promise to run on. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync("packages/core/package.json", "utf8")) as {
  engines: { node: string };
};
const oldest = `${engines.node.replace(">=", "")}.0`;
const onOldest = (command: string, stdio: "ignore" | "inherit") =>
  spawnSync("npx", ["--yes", "--package", `node@${oldest}`, "--call", command], { stdio }).status === 0;

if (!onOldest(`node -e 'process.exit(Number(process.versions.node !== "${oldest}"))'`, "ignore")) {
  console.log(`Node ${oldest} could not be had, so nothing was run on it.`);
} else if (
  !onOldest(
    "node node_modules/vitest/vitest.mjs run packages/store packages/cli/src/main packages/cli/src/rig packages/cli/src/config packages/cli/src/commands/init",
    "inherit",
  )
) {
  process.exitCode = 1;
}
