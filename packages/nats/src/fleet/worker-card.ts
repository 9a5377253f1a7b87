import { gunzipSync, gzipSync } from "node:zlib";
import type { ToolDefinition } from "@toolrig/core";

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
  /** How many of its calls this worker runs at once. */
  slots?: number;
  /** How many of its calls may start in how long, on all workers together. */
  rate?: { limit: number; perMs: number };
  /** Whether calls may need somebody's approval. */
  approval?: true;
  safety: { sideEffects: string; idempotent: boolean };
}

/** How often a worker shows its card anew. */
export const HEARTBEAT_MS = 5_000;

/** A worker with many tools has a long card, most of it schemas: they shrink well. */
const LONG_CARD = 64 * 1024;
const MAX_CARD = 64 * 1024 * 1024;

export function encodeCard(card: WorkerCard): string | Uint8Array {
  const text = JSON.stringify(card);
  return text.length < LONG_CARD ? text : gzipSync(text);
}

/** Throws for what is not a card. */
export function readCard(data: Uint8Array): WorkerCard {
  const isZipped = data[0] === 0x1f && data[1] === 0x8b;
  const text = isZipped ? gunzipSync(data, { maxOutputLength: MAX_CARD }) : data;
  const card = JSON.parse(new TextDecoder().decode(text)) as WorkerCard;
  if (typeof card.id !== "string" || !Array.isArray(card.tools)) throw new Error("not a worker's card");
  return card;
}
