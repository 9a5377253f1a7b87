import { setTimeout as pause } from "node:timers/promises";
import { ToolrigError } from "@toolrig/core";
import { type Fleet, type FleetTool, NatsExecutor, type WorkerCard } from "@toolrig/nats";
import { callerAt, NATS_CALLER_OPTIONS } from "../config/fleet-at.ts";
import { loadSettings } from "../config/load-settings.ts";
import { chooseAction } from "../shell/choose-action.ts";
import { command, type Invocation } from "../shell/command.ts";
import { notEmpty } from "../shell/flag-checks.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { idCell, timeCell } from "../terminal/cell.ts";
import { note, printJson } from "../terminal/output.ts";
import { printTable, type TableRow } from "../terminal/table.ts";
import { PLAN_OPTIONS } from "./fleet/plan-flags.ts";
import { setUp } from "./fleet/set-up.ts";
import { writeConfig } from "./fleet/write-config.ts";

const TOOLS_HEAD = ["TOOL", "VERSIONS", "WORKERS", "AVAILABLE", ""];
const WORKERS_HEAD = ["WORKER", "SINCE", "RUNNING", "RAN", "FAILED", "TOOLS"];
const WATCH_MS = 1_000;

const OPTIONS = {
  ...NATS_CALLER_OPTIONS,
  workers: { type: "boolean", describe: "list workers in place of tools" },
  watch: { type: "boolean", short: "w", describe: "show it again whenever it changes, until Ctrl-C" },
  out: { type: "string", value: "FOLDER", check: notEmpty, describe: "config: where to write it" },
  ...PLAN_OPTIONS,
} as const;

type Values = Invocation<typeof OPTIONS>["values"];

const ACTIONS = { config: writeConfig, setup: setUp };

export const fleet = command({
  name: "fleet",
  positionals: ["[config|setup]"],
  options: OPTIONS,
  details: [
    "Piped, each tool is a line of tab-separated fields: name, versions, number of workers, yes or no, reason; each worker",
    "one of id, start, calls under way, calls that ran, calls that failed, tools. With --json, { tools, workers }.",
    "",
    "config makes a configuration of nats-server in which participants need not trust each other: nats-server.conf, callers.json for",
    "workers, and for the operator (admin), each worker and each caller a file NAME.nk with the seed of its NKey, which only its owner may read.",
    "Again into the same folder it keeps the keys that are there. setup makes streams and queues for the tools of the config, as the operator:",
    "before workers start, and whenever a tool, a major version or a limit is new.",
  ].join("\n"),
  examples: [
    "toolrig fleet --nats nats://127.0.0.1:4222 --watch",
    "toolrig fleet --workers",
    "toolrig fleet config --work office=send_mail,search_docs --calls desk=send_mail,search_docs --calls site=search_docs --out fleet",
    "toolrig fleet setup --nats nats://127.0.0.1:4222 --seed fleet/admin.nk",
  ],

  run({ values, positionals: [action] }) {
    const act = action === undefined ? showFleet : chooseAction("fleet", action, ACTIONS);
    if (act !== writeConfig) refusePlan(values);
    return act(values);
  },
});

/** Elsewhere they would do nothing. */
function refusePlan(values: Values): void {
  const names = ["out", ...Object.keys(PLAN_OPTIONS)] as (keyof Values)[];
  const given = names.find((name) => values[name] !== undefined);
  if (given !== undefined)
    throw new ToolrigError("OPTION_INVALID", `--${given} belongs to toolrig fleet config.`);
}

async function showFleet(values: Values): Promise<number> {
  const executor = await NatsExecutor.connect(
    callerAt(values, await loadSettings(values.config, { needed: false })),
  );
  try {
    const live = await executor.fleet();
    const show = () => {
      if (values.json === true) printJson(stateOf(live));
      else if (values.workers === true) printTable(WORKERS_HEAD, live.workers(), workerCells);
      else printTable(TOOLS_HEAD, live.offers(), toolCells);
    };
    if (values.watch === true) await watch(live, show);
    else {
      show();
      if (live.workers().length === 0) note("No worker is alive.", "dim");
    }
    return 0;
  } finally {
    await executor.close();
  }
}

async function watch(live: Fleet, show: () => void): Promise<void> {
  const ended = cancelOnSignal("");
  let shown: string | undefined;
  while (!ended.aborted) {
    const state = JSON.stringify(stateOf(live));
    if (state !== shown) {
      if (process.stdout.isTTY) process.stdout.write("\u001b[2J\u001b[H");
      show();
      shown = state;
    }
    await pause(WATCH_MS, undefined, { signal: ended }).catch(() => {});
  }
}

/** When a heartbeat came is not a change. */
function stateOf(live: Fleet) {
  return { tools: live.offers(), workers: live.workers().map(({ at: _, ...worker }) => worker) };
}

function toolCells({ name, versions, workers, available, reason = "" }: FleetTool): TableRow {
  return [name, versions.join(", ") || "-", String(workers), available ? "yes" : "no", reason];
}

function workerCells({ id, startedAt, running, ran = 0, failed = 0, tools }: WorkerCard): TableRow {
  const names = [...new Set(tools.map((tool) => tool.name))].join(", ");
  return [idCell(id), timeCell(startedAt), String(running), String(ran), String(failed), names];
}
