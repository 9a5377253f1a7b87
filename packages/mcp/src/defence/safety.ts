import type { Safety } from "@toolrig/core";

/** What a server says of its own tool. Any of it may be missing, wrong or a lie. */
interface Hints {
  readOnlyHint?: unknown;
  destructiveHint?: unknown;
  idempotentHint?: unknown;
  openWorldHint?: unknown;
}

type Deed = Pick<Safety, "sideEffects" | "idempotent">;

/** Of a tool about which nobody who is trusted has said anything. */
const MAX_CAREFUL: Deed = { sideEffects: "external", idempotent: false };

/**
 * The safety of a server's tool. By itself it is the most careful there is, to which a hint can add nothing; with
 * `trust: "annotations"` the operator takes the server's word. What contradicts itself is read in the careful way.
 */
export function safetyFrom(annotations: unknown, trust: "none" | "annotations"): Deed {
  if (trust !== "annotations" || typeof annotations !== "object" || annotations === null) return MAX_CAREFUL;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations as Hints;
  if (readOnlyHint === true) {
    return destructiveHint === true ? MAX_CAREFUL : { sideEffects: "read", idempotent: true };
  }
  return {
    sideEffects: openWorldHint === false ? "write" : "external",
    idempotent: idempotentHint === true,
  };
}
