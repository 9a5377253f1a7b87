import type { ToolCall } from "@toolrig/core";
import { check, newId } from "@toolrig/core/kit";
import { CONFIG_OPTION, openRig } from "../config/open-rig.ts";
import { command } from "../shell/command.ts";
import { EXIT_CODE, exitCodeOf } from "../shell/exit-code.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { eventPrinter } from "../terminal/event-printer.ts";
import { readStdin } from "../terminal/input.ts";
import { noteReconciled } from "../terminal/note-reconciled.ts";
import { printJson, showsProgress } from "../terminal/output.ts";
import { printResult } from "../terminal/result-view.ts";
import { hintAtWaits } from "../terminal/waiting-hint.ts";

export const call = command({
  name: "call",
  summary: "Call a tool through the whole pipeline",
  positionals: ["NAME[@RANGE]", "[ARGUMENTS|-]"],
  options: {
    ...CONFIG_OPTION,
    timeout: { type: "string", value: "DURATION", describe: 'give up after this long: "500ms", "10s", "2m"' },
    detach: { type: "boolean", describe: "do not stay with a call that waits for somebody or something" },
    id: { type: "string", value: "ID", describe: "the call's id (default: a new one)" },
  },
  details: [
    "ARGUMENTS is JSON as a model would write it: what is broken is repaired, and the repairs are listed. With - it is",
    "read from standard input. NAME@RANGE asks for a version. The content of the result goes to stdout; with --json the",
    "whole result, also of a call that failed. Ctrl-C cancels the call. A call that waits for an approval, an answer or a",
    'result from elsewhere is waited for; with --detach it goes on in the store, and "toolrig waiting" lists it.',
    "",
    "Exit codes: 0 success, 1 unexpected error, 2 wrong usage or configuration,",
    `${exitCodes()}.`,
  ].join("\n"),
  examples: [
    `toolrig call search_docs '{"query": "timeouts"}'`,
    "toolrig call search_docs@^1.2 - < arguments.json",
    "toolrig call search_docs '{}' --timeout 5s --json",
  ],

  async run({ values, positionals: [target, given] }) {
    const timeoutMs = check.timeout("--timeout", values.timeout);
    const text = given === "-" ? await readStdin() : given;
    const rig = await openRig(values.config, timeoutMs === undefined ? {} : { timeout: timeoutMs });
    const progress = showsProgress(values.verbose);
    if (progress) rig.events.on(eventPrinter());
    hintAtWaits(rig);
    noteReconciled(rig);
    const result = await rig.call(asCall(target, text, values.id), {
      source: "cli",
      signal: cancelOnSignal(),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(values.detach === true && { onWaiting: "leave" as const }),
    });
    if (values.json === true) printJson(result);
    else printResult(result, progress);
    await rig.close();
    return exitCodeOf(result);
  },
});

function exitCodes(): string {
  const pairs = Object.entries(EXIT_CODE).sort(([, a], [, b]) => a - b);
  return pairs.map(([kind, code]) => `${code} ${kind}`).join(", ");
}

function asCall(target: string, text: string | undefined, id: string = newId("call")): ToolCall {
  const at = target.indexOf("@", 1);
  const name = at === -1 ? target : target.slice(0, at);
  return {
    id,
    name,
    ...(at !== -1 && { version: target.slice(at + 1) }),
    ...(text !== undefined && { arguments: text }),
  };
}
