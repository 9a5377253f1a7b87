/** Runs several commands in one process, one after the other: standard input is a list of argument lists. */
import { json } from "node:stream/consumers";
import { commands } from "../src/commands/commands.ts";
import { dispatch } from "../src/shell/dispatch.ts";
import type { Outcome } from "./toolrig-process.ts";

const outcomes: Outcome[] = [];
const write = process.stdout.write.bind(process.stdout);

for (const args of (await json(process.stdin)) as string[][]) {
  const outcome = { code: 0, stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (chunk: unknown) => {
      outcome[name] += String(chunk);
      return true;
    };
  }
  outcome.code = await dispatch(args, commands);
  outcomes.push(outcome);
}
write(JSON.stringify(outcomes), () => process.exit(0));
