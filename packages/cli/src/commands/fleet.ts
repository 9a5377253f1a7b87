import { setTimeout as pause } from "node:timers/promises";
import { type Fleet, type FleetTool, NatsExecutor, type WorkerCard } from "@toolrig/nats";
import { fleetAt, NATS_OPTIONS } from "../config/fleet-at.ts";
import { loadSettings } from "../config/load-settings.ts";
import { command } from "../shell/command.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { idCell, timeCell } from "../terminal/cell.ts";
import { note, printJson } from "../terminal/output.ts";
import { printTable, type TableRow } from "../terminal/table.ts";

const TOOLS_HEAD = ["TOOL", "VERSIONS", "WORKERS", "AVAILABLE", ""];
const WORKERS_HEAD = ["WORKER", "SINCE", "RUNNING", "RAN", "FAILED", "TOOLS"];
const WATCH_MS = 1_000;

export const fleet = command({
  name: "fleet",
  positionals: [],
  options: {
    ...NATS_OPTIONS,
    workers: { type: "boolean", describe: "list workers in place of tools" },
    watch: { type: "boolean", short: "w", describe: "show it again whenever it changes, until Ctrl-C" },
  },
  details: [
    "Piped, each tool is a line of tab-separated fields: name, versions, number of workers, yes or no, reason; each worker",
    "one of id, start, calls under way, calls that ran, calls that failed, tools. With --json, { tools, workers }.",
  ].join("\n"),
  examples: ["toolrig fleet --nats nats://127.0.0.1:4222 --watch", "toolrig fleet --workers"],

  async run({ values }) {
    const executor = await NatsExecutor.connect(
      fleetAt(values.nats, await loadSettings(values.config, { needed: false })),
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
  },
});

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
