/** Commands that take forever: ended by their own limit, by that of their program, or by the executor's. */
import { tmpdir } from "node:os";
import { type AnyTool, Executor, type ExecutorOptions } from "@toolrig/core";
import { cliTool, Processes, runCommand } from "@toolrig/toolkit";
import { type Case, LIMIT_MS } from "./slow.ts";

const FOREVER = "100000";

function command(
  who: string,
  tool: (processes: Processes) => AnyTool,
  args: Record<string, unknown>,
  options: ExecutorOptions = {},
): Case {
  return {
    who,
    want: "TOOL_TIMEOUT",
    async run(_gate, seen) {
      await using processes = new Processes({ root: tmpdir(), sandbox: "off", grace: 0 });
      const slow = tool(processes);
      const executor = seen(new Executor({ ...options, tools: [slow] }));
      const result = await executor.call({ id: "c", name: slow.name, arguments: args });
      const { stopped } = (result.value ?? {}) as { stopped?: string };
      return {
        result,
        problems: stopped === "deadline" ? [] : ["what the command wrote is not in the result"],
      };
    },
  };
}

const sleeper = (timeout?: number) => (processes: Processes) =>
  cliTool({
    name: "slow",
    description: "Sleeps",
    input: { type: "object" },
    command: "sleep",
    args: () => [FOREVER],
    processes,
    ...(timeout !== undefined && { timeout }),
  });
const sleeping = { command: "sleep", args: [FOREVER] };

export const COMMANDS: readonly Case[] = [
  command("a command with a limit of its own", runCommand, {
    ...sleeping,
    timeout_seconds: LIMIT_MS / 1_000,
  }),
  command("a command without one", runCommand, sleeping, { timeout: LIMIT_MS }),
  command("a program with a limit of its own", sleeper(LIMIT_MS), {}),
  command("a program without one", sleeper(), {}, { timeout: LIMIT_MS }),
];
