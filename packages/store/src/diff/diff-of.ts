import type {
  CustomEffect,
  Effect,
  FileEffect,
  NetworkEffect,
  ProcessEffect,
  ToolResult,
} from "@toolrig/core";
import { checkedEffects, type Journal } from "@toolrig/core/kit";
import type { SqliteRecords } from "../records/records.ts";
import { type FileChange, netChanges } from "./file-changes.ts";

/** What a stretch of work changed in the world. */
export interface EffectsDiff {
  /** Net: a file that was written five times is one change. */
  files: FileChange[];
  /** In the order in which they ran. */
  processes: ProcessEffect[];
  network: NetworkEffect[];
  custom: CustomEffect[];
}

export interface TurnDiff extends EffectsDiff {
  /** Absent for calls that no journal assigns to a turn. */
  turn?: number;
}

export interface RunDiff extends EffectsDiff {
  runId: string;
  turns: TurnDiff[];
}

interface Happened {
  executionId: string;
  turn: number | undefined;
  effects: readonly Effect[];
}

/** How far up the calls that tools made are followed, so that records that name each other do not hold it up. */
const MAX_DEPTH = 100;

/** What a run changed, turn by turn and as a whole. */
export async function diffOf(
  { records, journal }: { records: SqliteRecords; journal: Journal },
  runId: string,
): Promise<RunDiff> {
  const happened = await effectsOf(records, journal, runId);
  const turns = [...Map.groupBy(happened, ({ turn }) => turn)].map(([turn, those]): TurnDiff => {
    const summed = sum(those.flatMap(({ effects }) => effects));
    return turn === undefined ? summed : { turn, ...summed };
  });
  turns.sort((a, b) => (a.turn ?? -1) - (b.turn ?? -1));
  return { runId, ...sum(happened.flatMap(({ effects }) => effects)), turns };
}

function sum(effects: readonly Effect[]): EffectsDiff {
  const ofType = <Type extends Effect["type"]>(type: Type) =>
    effects.filter((effect): effect is Extract<Effect, { type: Type }> => effect.type === type);
  return {
    files: netChanges(ofType("file") as FileEffect[]),
    processes: ofType("process"),
    network: ofType("network"),
    custom: ofType("custom"),
  };
}

/** Records know of every call, also of those that tools made; the journal knows the turns, and what a crash kept from the records. */
async function effectsOf(records: SqliteRecords, journal: Journal, runId: string): Promise<Happened[]> {
  const turnOf = new Map<string, number>();
  const results: { turn: number; result: ToolResult }[] = [];
  for (const entry of await journal.entries(runId)) {
    if (entry.type === "calls")
      for (const { executionId } of entry.calls) turnOf.set(executionId, entry.turn);
    if (entry.type === "result") results.push(entry);
  }
  const happened = new Map<string, Happened>();
  const parents = new Map<string, string>();
  for (const { executionId, parentId, result } of records.all({ runId })) {
    if (parentId !== undefined) parents.set(executionId, parentId);
    // A result that was replayed is recorded again, but happened once.
    if (happened.has(executionId)) continue;
    happened.set(executionId, { executionId, turn: undefined, effects: checkedEffects(result.effects) });
  }
  for (const { turn, result } of results) {
    if (happened.has(result.executionId)) continue;
    happened.set(result.executionId, {
      executionId: result.executionId,
      turn,
      effects: checkedEffects(result.effects),
    });
  }
  // The parent of a run that is part of another is in that one.
  for (const [executionId, parentId] of parents) if (!happened.has(parentId)) parents.delete(executionId);
  for (const each of happened.values()) each.turn ??= turnOf.get(rootOf(each.executionId, parents));
  return [...happened.values()];
}

function rootOf(executionId: string, parents: ReadonlyMap<string, string>): string {
  let root = executionId;
  for (let steps = 0; steps < MAX_DEPTH; steps++) {
    const parent = parents.get(root);
    if (parent === undefined) break;
    root = parent;
  }
  return root;
}
