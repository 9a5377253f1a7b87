import {
  type JSONRPCMessage,
  ProtocolError,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/client";

/** Of answers that are made here. No code of JSON-RPC, nor of the range that it leaves to servers. */
const STREAM_ENDED = -39_001;

/** Whether the stream that should have brought an answer ended without it. */
export const isStreamEnd = (error: unknown) => ProtocolError.isInstance(error) && error.code === STREAM_ENDED;

/**
 * Answers requests whose stream ends without an answer, for which the SDK would wait for ever. Gives what is to be told of every
 * message that comes.
 */
export function answerEnded(transport: Transport): (message: JSONRPCMessage) => void {
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
    // Whoever asks to be told of the end goes by it.
    if (id === undefined || options?.onRequestStreamEnd !== undefined) return send(message, options);
    open.add(id);
    try {
      await send(message, { ...options, onRequestStreamEnd: () => ended(id) });
    } catch (error) {
      open.delete(id);
      throw error;
    }
  };
  return (message) => {
    if (!("method" in message) && message.id !== undefined) open.delete(message.id);
  };
}
