/** The one tool that the proof declares, with one field changed at a time. */
import { type AnyTool, type JsonSchema, type ToolSpec, tool } from "@toolrig/core";

export type Spec = ToolSpec<JsonSchema, unknown>;
export type Change = Partial<Omit<Spec, "execute">>;

const BASE: Omit<Spec, "execute"> = {
  name: "book_room",
  version: "1.0.0",
  description: "Book a room",
  input: {
    type: "object",
    properties: { room: { type: "string" }, note: { type: "string" } },
    required: ["room"],
    // Every case calls with the same arguments, the required one of the changed schema among them.
    additionalProperties: true,
  },
  safety: { sideEffects: "external" },
  retry: { backoff: 0 },
};

export function declare(change: Change, execute: Spec["execute"] = () => "booked"): AnyTool {
  return tool({ ...BASE, ...change, execute });
}

/** The changes by name, so that another process can declare the same. */
export const CHANGES = {
  none: {},
  name: { name: "reserve_room" },
  version: { version: "2.0.0" },
  description: { description: "Reserve a room" },
  input: {
    input: {
      type: "object",
      properties: { room: { type: "string" }, nights: { type: "integer" } },
      required: ["room", "nights"],
    },
  },
  output: { output: { type: "object", properties: { booking: { type: "string" } }, required: ["booking"] } },
  sideEffects: { safety: { sideEffects: "read" } },
  idempotent: { safety: { sideEffects: "external", idempotent: true } },
  requires: { safety: { sideEffects: "external", requires: ["network"] } },
  pure: { safety: { sideEffects: "none" }, pure: true },
  approval: { approval: true },
  mode: { mode: "sequential" },
  locks: { locks: () => ["rooms"] },
  concurrency: { concurrency: 1 },
  rate: { rate: { limit: 1, per: "1h", wait: 0 } },
  timeout: { timeout: 20 },
  labels: { labels: { integrity: "untrusted", source: "hotel" } },
  label: { label: "Room booking" },
  examples: { examples: [{ arguments: { room: "the blue one" } }] },
  preference: { preference: { enabled: false } },
} satisfies Record<string, Change>;

export type Field = keyof typeof CHANGES;

/** Nothing but the field of that name differs. */
export function declared(field: string | undefined, execute?: Spec["execute"]): AnyTool {
  return declare((CHANGES as Record<string, Change>)[field ?? "none"] ?? {}, execute);
}
