import { gunzipSync, gzipSync } from "node:zlib";
import type { ToolDefinition } from "@toolrig/core";
import { isRecord, parseStrict } from "@toolrig/core/kit";

/** What a worker tells about itself, anew with every heartbeat. */
export interface WorkerCard {
  id: string;
  startedAt: number;
  at: number;
  running: number;
  /** Calls that ran here, and those that failed. */
  ran?: number;
  failed?: number;
  /** Whether it looks at the lanes of high and low priority. */
  lanes?: boolean;
  tools: OfferedTool[];
}

export interface OfferedTool extends ToolDefinition {
  provider: string;
  available: boolean;
  reason?: string;
  /** False when the worker has the tool and may not run it. */
  allowed?: boolean;
  mode?: "sequential";
  /** False when no guard or hook of the worker judges its calls. */
  guarded?: false;
  /** How many of its calls this worker runs at once. */
  slots?: number;
  /** How many of its calls may start in how long, on all workers together. */
  rate?: { limit: number; perMs: number };
  /** Whether calls may need somebody's approval. */
  approval?: true;
  /** A call that takes longer goes on without its caller, who does not hold it. */
  backgroundMs?: number;
  safety: { sideEffects: string; idempotent: boolean };
}

/** How often a worker shows its card anew. */
export const HEARTBEAT_MS = 5_000;

/** A worker with many tools has a long card, most of it schemas: they shrink well. */
const LONG_CARD = 64 * 1024;
const VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
const MAX_CARD = 64 * 1024 * 1024;

export function encodeCard(card: WorkerCard): string | Uint8Array {
  const text = JSON.stringify(card);
  return text.length < LONG_CARD ? text : gzipSync(text);
}

/**
 * The card of the worker that it is filed under, with the number of offers in it that are none: those are left out, so that
 * one of them costs nobody the others. Throws for what is not a card.
 */
export function readCard(data: Uint8Array, worker: string): { card: WorkerCard; skipped: number } {
  const isZipped = data[0] === 0x1f && data[1] === 0x8b;
  const text = isZipped ? gunzipSync(data, { maxOutputLength: MAX_CARD }) : data;
  const parsed = parseStrict(new TextDecoder().decode(text), { subject: "The card" });
  if (!parsed.ok) throw new Error(parsed.message);
  const { value } = parsed;
  if (!isRecord(value) || value.id !== worker || !Array.isArray(value.tools))
    throw new Error("not a worker's card");
  const { startedAt, at, running, ran, failed, lanes } = value;
  if (![startedAt, at, running, ran ?? 0, failed ?? 0].every(isCount)) throw new Error("not a worker's card");
  const tools = value.tools.filter(isOffer);
  const card = { ...(value as unknown as WorkerCard), lanes: lanes === true, tools };
  return { card, skipped: value.tools.length - tools.length };
}

/** Whether something is an offer that everybody who reads cards can rely on. */
function isOffer(value: unknown): value is OfferedTool {
  if (!isRecord(value) || !isRecord(value.inputSchema) || !isRecord(value.safety)) return false;
  const { name, version, description, provider, available, reason, outputSchema, slots, rate, safety } =
    value;
  const { backgroundMs } = value;
  return (
    isText(name) &&
    name !== "" &&
    (version === undefined || (isText(version) && VERSION.test(version))) &&
    isText(description) &&
    isText(provider) &&
    typeof available === "boolean" &&
    (reason === undefined || isText(reason)) &&
    (outputSchema === undefined || isRecord(outputSchema)) &&
    (slots === undefined || isCount(slots)) &&
    (backgroundMs === undefined || isAbove0(backgroundMs)) &&
    (rate === undefined || (isRecord(rate) && isAbove0(rate.limit) && isAbove0(rate.perMs))) &&
    isText(safety.sideEffects) &&
    typeof safety.idempotent === "boolean"
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isCount(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}

function isAbove0(value: unknown): boolean {
  return isCount(value) && value > 0;
}
