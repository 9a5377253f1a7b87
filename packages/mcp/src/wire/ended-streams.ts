import {
  type JSONRPCMessage,
  ProtocolError,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/client";
import { isRecord } from "@toolrig/core/kit";
import { unreadableAnswer } from "../defence/unreadable.ts";

/** Of answers that are made here. No code of JSON-RPC, nor of the range that it leaves to servers. */
const STREAM_ENDED = -39_001;

/** Whether the stream that should have brought an answer ended without it. */
export const isStreamEnd = (error: unknown) => ProtocolError.isInstance(error) && error.code === STREAM_ENDED;

/**
 * Answers requests for which the SDK would wait for ever: those whose stream ends without an answer, and those whose answer is
 * none. Returns a function that every incoming message must pass; it gives the message to hand on, or undefined for none.
 */
export function answerEnded(transport: Transport): (message: JSONRPCMessage) => JSONRPCMessage | undefined {
  const open = new Set<RequestId>();
  const send = transport.send.bind(transport);
  const ended = (id: RequestId) => {
    if (!open.has(id)) return;
    const error = { code: STREAM_ENDED, message: "The stream ended before the answer came." };
    transport.onmessage?.({ jsonrpc: "2.0", id, error });
  };
  transport.send = async (message, options) => {
    // What is sent was made by the SDK: it need not be checked as what comes is.
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (id === undefined) {
      forget(message);
      return send(message, options);
    }
    open.add(id);
    try {
      // A caller that asks to be told of the end handles it.
      await send(message, { onRequestStreamEnd: () => ended(id), ...options });
    } catch (error) {
      open.delete(id);
      throw error;
    }
  };
  const forget = (message: JSONRPCMessage) => {
    if ("method" in message && message.method === "notifications/cancelled")
      open.delete(message.params?.requestId as RequestId);
  };
  return (message) => {
    if ("method" in message || message.id === undefined) return message;
    const { id } = message;
    // Ids of requests are numbers. The SDK would take the answer with the id "3" for that to 3.
    if (!open.delete(id)) return typeof id === "string" ? undefined : message;
    return isAnswer(message)
      ? message
      : unreadableAnswer(id, "The server's answer is neither a result nor an error.");
  };
}

function isAnswer(message: object): boolean {
  const { result, error } = message as { result?: unknown; error?: unknown };
  if (error === undefined) return isRecord(result);
  return (
    result === undefined &&
    isRecord(error) &&
    Number.isSafeInteger(error.code) &&
    typeof error.message === "string"
  );
}
