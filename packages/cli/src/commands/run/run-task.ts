import { dirname } from "node:path";
import { agentLoopOptions, type Engine, type Run, type RunOutcome, type WaitingCall } from "@toolrig/agent";
import { ToolrigError } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { engineFor } from "../../config/engine-for.ts";
import { ON_FLEET_OPTION } from "../../config/fleet-at.ts";
import { CONFIG_OPTION, type Loaded, loadForUser, loadSettings } from "../../config/load-settings.ts";
import { settled } from "../../config/mcp-settings.ts";
import type { Place } from "../../config/open-fleet.ts";
import { partsOf, rigOf, withoutStore } from "../../config/open-rig.ts";
import { existingStore } from "../../config/open-store-file.ts";
import type { Rig, RigRunOptions } from "../../rig/rig.ts";
import type { OptionTable } from "../../shell/command.ts";
import { didYouMean } from "../../shell/did-you-mean.ts";
import { EVENTS_OPTION } from "../../shell/events-option.ts";
import { exitCodeOf } from "../../shell/exit-code.ts";
import { checkedAs } from "../../shell/flag-checks.ts";
import { cancelOnSignal } from "../../terminal/cancel-on-signal.ts";
import { excerpt } from "../../terminal/event-text.ts";
import { noteReconciled } from "../../terminal/note-reconciled.ts";
import { note, print, printJson } from "../../terminal/output.ts";
import { showRun } from "../../terminal/run-view.ts";
import { answerHere, queueHere } from "../approvals/answer-here.ts";

/** Options of commands that let a model work. */
export const RUN_OPTIONS = {
  ...CONFIG_OPTION,
  ...ON_FLEET_OPTION,
  ...EVENTS_OPTION,
  model: {
    type: "string",
    short: "m",
    value: "PROVIDER:MODEL",
    describe: "openai, anthropic, google, openai-compatible or script:FILE (default: the config's)",
  },
  tools: { type: "string", value: "NAMES", describe: "offer only these tools: names separated by commas" },
  system: { type: "string", value: "TEXT", describe: "the system prompt (default: the config's)" },
  "max-iterations": {
    type: "string",
    value: "N",
    check: checkedAs(agentLoopOptions, "maxToolIterations"),
    describe: `how many times results may be fed back to the model (default: ${agentLoopOptions.defaults.maxToolIterations})`,
  },
  detach: {
    type: "boolean",
    describe: "end when calls wait for the world, in place of waiting; toolrig resume goes on",
  },
} as const satisfies OptionTable;

export const RUN_DETAILS = [
  "The text of the answer goes to stdout as it comes, a line for every call to stderr; with --verbose all events of the",
  "calls. With --json, the outcome: text, messages, usage, and how the run ended; with --events all that happens. Ctrl-C ends the run with every started",
  "call answered; a second one quits at once. On a terminal, what needs approval can be answered there. With --nats the",
  "workers of a fleet run the calls, by their own policy.",
  "",
  "Models come from AI SDK packages in your project (npm install @ai-sdk/openai). OPENAI_API_KEY, ANTHROPIC_API_KEY and",
  "GOOGLE_GENERATIVE_AI_API_KEY are read from the environment; OPENAI_BASE_URL names another server, such as a local one.",
  "",
  "Exit codes: 0 when the model answered, and when the run waits with --detach; otherwise as of `toolrig call`, with 19 for",
  "the limit on iterations, 17 when cancelled, 15 when the model could not be reached, and 10 when it failed.",
].join("\n");

export interface TaskValues {
  readonly config?: string;
  /** A store that is there, in place of the config's. */
  readonly store?: string;
  readonly nats?: string;
  readonly events?: boolean;
  readonly model?: string;
  readonly tools?: string;
  readonly system?: string;
  readonly "max-iterations"?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Lets a model work on the configured rig, shows what happens, and gives the exit code. */
export async function runTask(
  values: TaskValues,
  begin: (place: Place, options: RigRunOptions) => Run,
): Promise<number> {
  const { nats, detach } = values;
  const loaded = await (nats === undefined
    ? loadForUser(values.config)
    : loadSettings(values.config, { needed: false }));
  const settings =
    values.store === undefined
      ? loaded
      : { ...loaded, rig: { ...loaded.rig, store: existingStore(values.store) } };
  const folder = settings.file === undefined ? process.cwd() : dirname(settings.file);
  const engine = await chosenEngine(values.model, settings.model, settings.rig.engine, folder);
  const place = await (nats === undefined ? here(values, settings) : onFleet(values, settings));
  try {
    const run = begin(place, {
      engine,
      signal: cancelOnSignal("Ending the run; again to quit at once."),
      ...(detach === true && { onWaiting: "return" }),
      ...defined({ system: values.system }),
      ...(values["max-iterations"] !== undefined && {
        maxToolIterations: Number(values["max-iterations"]),
      }),
    });
    const { events = false, json = false, verbose = false } = values;
    const spoke = await showRun(run, { events, text: !json, verbose });
    const outcome = await run.outcome;
    if (events) return exitCodeOf(outcome);
    if (json) printJson(outcome);
    else report(outcome, place, spoke);
    return exitCodeOf(outcome);
  } finally {
    await place.close();
  }
}

async function here({ tools, detach }: TaskValues, settings: Loaded): Promise<Place> {
  const queue = queueHere(settings.rig);
  const rig = rigOf(settings, {
    ...allowed(tools, settings),
    ...defined({ approve: queue?.approver }),
  });
  try {
    await settled(rig.mcp);
    checkForeign(tools, rig);
    answerHere(rig, { queue: queue ?? rig.approvals, detach });
    noteReconciled(rig);
    return rig;
  } catch (error) {
    await rig.close();
    throw error;
  }
}

async function onFleet({ tools, detach, ...typed }: TaskValues, settings: Loaded): Promise<Place> {
  const narrow = (known: readonly string[]) => checkedNames(tools ?? "", known, () => true);
  const { openFleet } = await import("../../config/open-fleet.ts");
  const fleet = await openFleet(typed, settings, { ...(tools !== undefined && { narrow }), journaled: true });
  answerHere(fleet, { detach });
  return fleet;
}

/** What was typed counts most; a path in it is relative to where it was typed. */
async function chosenEngine(
  typed: string | undefined,
  configured: string | undefined,
  engine: Engine | undefined,
  folder: string,
): Promise<Engine> {
  if (typed !== undefined) return engineFor(typed, folder, process.cwd());
  if (engine !== undefined) return engine;
  if (configured !== undefined) return engineFor(configured, folder, folder);
  throw new ToolrigError(
    "OPTION_INVALID",
    "No model: give --model PROVIDER:MODEL, such as openai:gpt-5, or set model in the config.",
  );
}

/** `--tools` narrows the config's allowlist and never widens it. */
function allowed(tools: string | undefined, settings: Loaded): { allow?: readonly string[] } {
  if (tools === undefined) return {};
  const known = partsOf(withoutStore(settings)).tools.tools();
  const names = known.map((tool) => tool.name);
  return { allow: checkedNames(tools, names, (name) => !isForeign(name)) };
}

/** Tools of MCP servers are known once their servers are there. */
function checkForeign(tools: string | undefined, rig: Rig): void {
  if (tools === undefined) return;
  const known = rig.tools.tools().map((tool) => tool.name);
  checkedNames(tools, known, isForeign);
}

/** The names that were typed. Throws `OPTION_INVALID` for one that is not known, of those that can be. */
function checkedNames(tools: string, known: readonly string[], isMeant: (name: string) => boolean): string[] {
  const names = namesIn(tools);
  const unknown = names.find((name) => isMeant(name) && !known.includes(name));
  if (unknown === undefined && names.length > 0) return names;
  throw notAllowed(unknown ?? tools, known);
}

const isForeign = (name: string) => name.includes("__");

function namesIn(tools: string): string[] {
  return tools
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

function notAllowed(name: string, known: readonly string[]): ToolrigError {
  return new ToolrigError(
    "OPTION_INVALID",
    `--tools must name tools that may be called; got "${name}".${didYouMean(name, known)} There is: ${known.join(", ") || "none"}.`,
  );
}

function reportWaits(waits: readonly WaitingCall[], runId: string): void {
  for (const { name, executionId, waiting } of waits) {
    const what = waiting.note === undefined ? "" : `: ${excerpt(waiting.note)}`;
    note(`waits ${name} for ${waiting.kind}${what} (${executionId})`, "warn");
  }
  note(`When that has come: toolrig resume ${runId}`, "dim");
}

/** A run that had ended before it was resumed has nothing new to say: its answer is shown again. */
function report(outcome: RunOutcome, { store }: Place, spoke: boolean): void {
  if (outcome.status === "answered" && !spoke && outcome.text !== "") print(outcome.text);
  if (outcome.status === "stopped") note(`toolrig: the run was stopped: ${outcome.reason}`, "warn");
  if (outcome.status === "waiting") reportWaits(outcome.waits, outcome.runId);
  if (outcome.status !== "failed" && outcome.status !== "aborted") return;
  note(`toolrig: ${outcome.error.code}: ${outcome.error.message}`, "bad");
  if (store !== undefined) note(`To go on: toolrig resume ${outcome.runId}`, "dim");
}
