import type { MsgHdrs } from "@nats-io/transport-node";

/**
 * A server publishes what it stores wherever it is asked to: as the answer to a read, on the subject that the question names
 * as its reply. Whoever may ask can so let the server say things on subjects that they may not use themselves. What a
 * server says that way carries this header, and what is said in somebody's own name never does.
 */
const HEADER = "Nats-Stream";
/** What a stream has that copies others, when it copied the message. */
const SOURCED = "Nats-Stream-Source";

/** Whether a message that was just received is the server's answer to somebody's question. */
export function isRelayed(headers: MsgHdrs | undefined): boolean {
  return headers !== undefined && (headers.has(HEADER) || headers.has(SOURCED));
}

/** The same of a message that was stored. To what it returns of a direct read the server adds a header of its own. */
export function wasRelayed(headers: MsgHdrs, from: "leader" | "replica"): boolean {
  return headers.values(HEADER).length > (from === "replica" ? 1 : 0) || headers.has(SOURCED);
}
