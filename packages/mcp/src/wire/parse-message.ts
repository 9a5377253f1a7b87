import { isRecord, parseStrict } from "@toolrig/core/kit";

/** A text that was refused as a message. */
export interface RefusedMessage {
  /** Of JSON-RPC. */
  readonly code: -32_700 | -32_600;
  readonly problem: string;
  /** Null for a text that has none or is not JSON, and where the one it has is not read as it was written. */
  readonly id: string | number | null;
  /** The text answers a request of this side. */
  readonly isAnswer: boolean;
}

export type ParsedMessage = { readonly value: unknown } | { readonly refused: RefusedMessage };

/** Requests of clients have the limits of the HTTP API. */
export const REQUEST_LIMITS = { subject: "The message", maxDepth: 64, withoutProto: true };
export const ANSWER_LIMITS = { subject: "The server's message" };

/**
 * The strict JSON of a message. The sender of a refused one waits for an answer, so its id is read where that is possible: never as
 * another id, which would answer another request.
 */
export function parseMessage(text: string, limits: Parameters<typeof parseStrict>[1]): ParsedMessage {
  const parsed = parseStrict(text, limits);
  if (parsed.ok) return parsed;
  const isJson = parsed.problem !== "syntax";
  const message: unknown = isJson ? JSON.parse(text) : undefined;
  const { id, method } = isRecord(message) ? message : {};
  return {
    refused: {
      code: isJson ? -32_600 : -32_700,
      problem: parsed.message,
      id: isExact(id, text) && !isRepeated(parsed) ? id : null,
      isAnswer: id !== undefined && method === undefined,
    },
  };
}

/** Whether an id is in the text as it was read: a number may have been rounded. */
function isExact(id: unknown, text: string): id is string | number {
  if (typeof id !== "number") return typeof id === "string";
  return Number.isSafeInteger(id) && new RegExp(`"id"\\s*:\\s*${id}\\s*[,}]`).test(text);
}

/** Of two ids nobody can say which one is meant. */
function isRepeated({ problem, message }: { problem: string; message: string }): boolean {
  return problem === "repeated-name" && message.includes(' "id" twice');
}
