import { type JSONRPCMessage, ProtocolError, type RequestId } from "@modelcontextprotocol/client";

/** The code of answers that are made here. It is outside of the codes of JSON-RPC and of the range that it leaves to servers. */
const UNREADABLE = -39_002;

/** Whether a request was answered with something that cannot be read, so that its outcome is open. */
export const isUnreadable = (error: unknown) => ProtocolError.isInstance(error) && error.code === UNREADABLE;

/** Stands for an answer that cannot be read. The request that waits for it ends at once. */
export function unreadableAnswer(id: RequestId, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: UNREADABLE, message } };
}
