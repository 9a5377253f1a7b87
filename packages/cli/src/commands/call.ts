import { type ToolCall, type ToolResult, ToolrigError } from "@toolrig/core";
import { callOptions, check, defined, formatDuration, newId } from "@toolrig/core/kit";
import { ON_FLEET_OPTION, type TypedFleet } from "../config/fleet-at.ts";
import { CONFIG_OPTION, loadForUser, loadSettings } from "../config/load-settings.ts";
import { settled } from "../config/mcp-settings.ts";
import type { Place } from "../config/open-fleet.ts";
import { rigOf } from "../config/open-rig.ts";
import type { Rig } from "../rig/rig.ts";
import { command } from "../shell/command.ts";
import { EVENTS_OPTION } from "../shell/events-option.ts";
import { EXIT_CODE, exitCodeOf } from "../shell/exit-code.ts";
import { checkedAs, notEmpty } from "../shell/flag-checks.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { printEvent } from "../terminal/event-json.ts";
import { eventPrinter } from "../terminal/event-printer.ts";
import { readStdin, refuseRepeated } from "../terminal/input.ts";
import { noteReconciled } from "../terminal/note-reconciled.ts";
import { note, printJson, showsProgress } from "../terminal/output.ts";
import { printResult } from "../terminal/result-view.ts";
import { answerHere, queueHere } from "./approvals/answer-here.ts";
import { neededId } from "./find-id.ts";

const CHECK_TIMEOUT = checkedAs(callOptions, "timeout");

export const call = command({
  name: "call",
  positionals: ["[NAME[@RANGE]]", "[ARGUMENTS|-]"],
  options: {
    ...CONFIG_OPTION,
    ...ON_FLEET_OPTION,
    ...EVENTS_OPTION,
    timeout: {
      type: "string",
      value: "DURATION",
      check: CHECK_TIMEOUT,
      describe: 'give up an attempt, or a wait, after this long: "500ms", "10s"',
    },
    detach: { type: "boolean", describe: "do not stay with a call that waits for somebody or something" },
    execution: {
      type: "string",
      value: "EXECUTION",
      check: notEmpty,
      describe: "run the call that was approved under this execution, as it was made",
    },
    id: { type: "string", value: "ID", check: notEmpty, describe: "the call's id (default: a new one)" },
  },
  details: [
    "ARGUMENTS is JSON as a model would write it: what is broken is repaired, and the repairs are listed. With - it is",
    "read from standard input. NAME@RANGE asks for a version. The content of the result goes to stdout; with --json the",
    "whole result, also of a call that failed; with --events what happens to it, and the result at the end. Ctrl-C cancels the call. A call that waits for an approval, an answer or a",
    'result from elsewhere is waited for; with --detach it goes on in the store, and "toolrig waiting" lists it. On a',
    "terminal, what needs approval can be answered there. With --nats a worker of the fleet runs it, by its own policy.",
    "With --execution and no NAME, a call runs that was approved after the process that asked had died, for whom it was made.",
    "",
    "Exit codes: 0 success, 1 unexpected error, 2 wrong usage or configuration,",
    `${exitCodes()}.`,
  ].join("\n"),
  examples: [
    `toolrig call search_docs '{"query": "timeouts"}'`,
    "toolrig call search_docs@^1.2 - < arguments.json",
    "toolrig call search_docs '{}' --timeout 5s --json",
    "toolrig call search_docs '{}' --nats nats://127.0.0.1:4222",
    "toolrig call --execution exec_01",
  ],

  async run({ values, positionals: [target, given] }) {
    const timeoutMs = check.timeout("--timeout", values.timeout);
    checkTarget(target, values);
    const text = given === "-" ? await readStdin() : given;
    if (text !== undefined) refuseRepeated(text, "ARGUMENTS");
    const place = await placeFor(values, timeoutMs);
    const progress = showsProgress(values.verbose);
    if (values.events === true) place.events.on(printEvent);
    else if (progress) place.events.on(eventPrinter());
    const cancelled = cancelOnSignal();
    const options = {
      signal: timeoutMs === undefined ? cancelled : AbortSignal.any([cancelled, longWait(place, timeoutMs)]),
      ...(values.detach === true && { onWaiting: "continue" as const }),
    };
    const result =
      target === undefined
        ? await runApproved(place, values.execution ?? "", options)
        : await place.call(asCall(target, text, values.id), {
            source: "cli",
            ...options,
            ...defined({ timeout: timeoutMs }),
          });
    if (values.json === true && values.events !== true) printJson(result);
    else if (values.events !== true) printResult(result, progress);
    await place.close();
    return exitCodeOf(result);
  },
});

/** Throws `OPTION_INVALID` unless there is one of both: a tool to call, or an execution to run. */
function checkTarget(
  target: string | undefined,
  { execution, nats }: { execution?: string; nats?: string },
): void {
  if (target === undefined && execution === undefined)
    throw new ToolrigError("OPTION_INVALID", "Say which tool to call: toolrig call NAME ARGUMENTS.");
  if (target !== undefined && execution !== undefined)
    throw new ToolrigError(
      "OPTION_INVALID",
      "--execution runs a call as it was made: leave out the name of the tool and its arguments.",
    );
  if (execution !== undefined && nats !== undefined)
    throw new ToolrigError("OPTION_INVALID", "--execution runs a call of the store here: leave out --nats.");
}

function runApproved(
  place: Place & Partial<Pick<Rig, "waits" | "store">>,
  execution: string,
  options: { signal: AbortSignal; onWaiting?: "continue" },
): Promise<ToolResult> {
  const { waits, store } = place;
  if (waits === undefined || store === undefined)
    throw new ToolrigError(
      "OPTION_INVALID",
      'Approvals are kept in a store: set store: "toolrig.db" in the config.',
    );
  return waits.run(neededId(store, execution, "execution"), options);
}

async function placeFor(
  { config, detach, ...typed }: TypedFleet & { config?: string; detach?: boolean },
  timeout: number | undefined,
): Promise<Place> {
  if (typed.nats !== undefined) {
    const { openFleet } = await import("../config/open-fleet.ts");
    const fleet = await openFleet(typed, await loadSettings(config, { needed: false }));
    answerHere(fleet, { detach });
    return fleet;
  }
  const loaded = await loadForUser(config);
  const queue = queueHere(loaded.rig);
  const rig = rigOf(loaded, {
    ...defined({ timeout, approve: queue?.approver }),
  });
  await settled(rig.mcp);
  answerHere(rig, { queue: queue ?? rig.approvals, detach });
  noteReconciled(rig);
  return rig;
}

/** Aborts when a call has waited for somebody or something for longer than `mostMs`: its own limit does not count then. */
function longWait({ events }: Pick<Place, "events">, mostMs: number): AbortSignal {
  const controller = new AbortController();
  const timers = new Map<string, NodeJS.Timeout>();
  events.on("call.waiting", ({ executionId, name }) => {
    if (timers.has(executionId)) return;
    const giveUp = () => {
      note(`${name} waited for longer than ${formatDuration(mostMs)} and is cancelled.`, "warn");
      controller.abort();
    };
    timers.set(executionId, setTimeout(giveUp, mostMs));
  });
  const over = ({ executionId }: { executionId: string }) => {
    clearTimeout(timers.get(executionId));
    timers.delete(executionId);
  };
  events.on("call.resumed", over);
  events.on("call.end", over);
  return controller.signal;
}

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
    ...defined({ arguments: text }),
  };
}
