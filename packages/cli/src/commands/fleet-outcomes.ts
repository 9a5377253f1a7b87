/** What a fleet's own ledger says of calls that wait or are in doubt. */
import type { Wait, WaitFilter } from "@toolrig/core/kit";
import { type DoubtfulCall, FleetOutcomes, type FleetSettlement } from "@toolrig/nats";
import { fleetAt } from "../config/fleet-at.ts";
import { loadSettings } from "../config/load-settings.ts";
import { idCell, timeCell } from "../terminal/cell.ts";
import { excerpt } from "../terminal/event-text.ts";
import { note, printJson } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { printTable, type TableRow } from "../terminal/table.ts";

interface FleetValues {
  readonly config?: string;
  readonly json?: boolean;
}

async function onFleet<T>(
  url: string,
  { config }: FleetValues,
  act: (outcomes: FleetOutcomes) => Promise<T>,
): Promise<T> {
  const outcomes = await FleetOutcomes.connect(
    fleetAt({ nats: url }, await loadSettings(config, { needed: false })),
  );
  try {
    return await act(outcomes);
  } finally {
    await outcomes.close();
  }
}

export function fleetWaits(url: string, values: FleetValues, filter: WaitFilter): Promise<readonly Wait[]> {
  return onFleet(url, values, (outcomes) => outcomes.waiting(filter));
}

export function settleInFleet(
  url: string,
  values: FleetValues,
  executionId: string,
  settlement: FleetSettlement,
): Promise<void> {
  return onFleet(url, values, (outcomes) => outcomes.settle(executionId, settlement));
}

export async function fleetInDoubt(
  url: string,
  values: FleetValues,
  head: readonly string[],
): Promise<number> {
  const found = await onFleet(url, values, (outcomes) => outcomes.inDoubt());
  if (values.json === true) printJson(redactedFact(found));
  else printTable([...head.slice(0, -1), "TOLD"], found, cells, { cut: true });
  if (found.length === 0) note("Nothing is in doubt.", "dim");
  else if (found.some(({ state }) => state !== "running"))
    note(
      "See what became of each, then: toolrig settle --nats URL EXECUTION happened|never-ran --why TEXT",
      "dim",
    );
  return 0;
}

function cells({ executionId, at, name = "-", state, message, worker = "" }: DoubtfulCall): TableRow {
  return [idCell(executionId), timeCell(at), name, state, excerpt(message ?? `worker ${worker}`, 200)];
}
