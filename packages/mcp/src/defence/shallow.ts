import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { unreadableAnswer } from "./unreadable.ts";

/** How deeply a message may be nested. Much code that handles messages calls itself for every level. */
const MAX_DEPTH = 100;

/**
 * A message that anybody can walk through without running out of stack: itself, or for an answer that is nested too deeply an
 * error in its place. Undefined for anything else that is: it is as if it had not come.
 */
export function shallow(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!isDeeper(message, MAX_DEPTH)) return message;
  const { id } = message as { id?: string | number };
  if ((typeof id !== "string" && typeof id !== "number") || "method" in message) return undefined;
  return unreadableAnswer(id, `The server's answer is nested more than ${MAX_DEPTH} deep.`);
}

function isDeeper(value: object, most: number): boolean {
  if (most === 0) return true;
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    if (typeof inner === "object" && inner !== null && isDeeper(inner, most - 1)) return true;
  return false;
}
