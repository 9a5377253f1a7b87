import type { CallLine, CallStory, RunLine } from "../wire.ts";

type Command = CallStory["commands"][number];

/** What to type to see or do the same at a terminal. `args` are those it ran on, or else what was written, which may be no JSON. */
export function callCommands({ executionId, name, state, waiting }: CallLine, args: unknown): Command[] {
  const commands: Command[] = [{ label: "Show it", command: `toolrig show ${quoted(executionId)}` }];
  const given = typeof args === "string" ? args : JSON.stringify(args ?? {});
  // Without its secrets it is another call.
  if (given.length < 4_000 && !given.includes("[redacted]"))
    commands.push({ label: "Call it again", command: `toolrig call ${quoted(name)} ${quoted(given)}` });
  if (state === "waiting" && waiting?.kind === "approval")
    commands.push({ label: "Approve it", command: `toolrig approvals approve ${quoted(executionId)}` });
  if (state === "waiting")
    commands.push({ label: "Cancel it", command: `toolrig cancel ${quoted(executionId)}` });
  return commands;
}

export function runCommands({ runId, state }: RunLine): Command[] {
  const commands: Command[] = [
    { label: "Show it", command: `toolrig show ${quoted(runId)}` },
    { label: "See what it changed", command: `toolrig diff ${quoted(runId)}` },
  ];
  if (state === "open" || state === "aborted" || state === "failed" || state === "waiting")
    commands.push({ label: "Resume it", command: `toolrig resume ${quoted(runId)}` });
  return commands;
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
