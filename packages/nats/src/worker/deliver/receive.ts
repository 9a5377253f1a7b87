import type { MsgHdrs } from "@nats-io/transport-node";
import { isThenable, type MaybePromise, messageOf, traceIn } from "@toolrig/core/kit";
import { bury } from "../../fleet/dead-letters.ts";
import { MalformedMessage } from "../../wire/malformed-message.ts";
import { type CallMessage, readCall, readReference } from "../../wire/messages.ts";
import { keyPrefix, readExecuteSubject } from "../../wire/names.ts";
import type { Payloads } from "../../wire/payload.ts";
import { isRelayed } from "../../wire/relayed.ts";
import type { Signatures } from "../../wire/signature.ts";
import { withRights } from "../caller-rights.ts";
import type { Delivered } from "./delivered.ts";
import type { DeliveryParts } from "./parts.ts";
import type { RunningCall } from "./running-calls.ts";

/** Reads the call. A message that holds none is put aside; a copy of a call that is here already is left for later. */
export function receive(message: Delivered, parts: DeliveryParts): MaybePromise<RunningCall | "settled"> {
  parts.counters.received += 1;
  try {
    const read = readCallOf(message, parts);
    if (!isThenable(read)) return begin(message, read, parts);
    return read.then((call) => begin(message, call, parts)).catch((error) => refuse(message, error, parts));
  } catch (error) {
    return refuse(message, error, parts);
  }
}

async function refuse(message: Delivered, error: unknown, parts: DeliveryParts): Promise<"settled"> {
  // What cannot be read now, such as large arguments from a server that is away, is no fault of the message.
  if (!(error instanceof MalformedMessage)) {
    parts.counters.errors += 1;
    message.nak(1_000);
    return "settled";
  }
  try {
    message.term(await buryMalformed(message, message.seq, error, parts));
  } catch {
    message.nak(1_000);
  }
  return "settled";
}

function begin(message: Delivered, read: CallMessage, parts: DeliveryParts): RunningCall | "settled" {
  const { running, counters, ackWaitMs } = parts;
  const call = withTrace(message, withRights(read, parts.callers));
  // Before the claim: a peer that reads "started" in the ledger must hear "running" from here.
  const begun = running.begin(message, call);
  if (begun !== undefined) return begun;
  counters.duplicates += 1;
  message.nak(ackWaitMs);
  return "settled";
}

/** Whoever sends a call may say in the headers which trace it is part of, as every system does that knows traces. */
function withTrace({ headers }: Delivered, call: CallMessage): CallMessage {
  const trace = headers === undefined ? undefined : traceIn(headers);
  return trace === undefined ? call : { ...call, options: { ...call.options, trace } };
}

interface Sendable {
  subject: string;
  headers: MsgHdrs | undefined;
  string(): string;
}

/** The call that a message holds, or that the object holds which it names. Throws or rejects for what is no call. */
export function readCallOf(
  message: Sendable,
  { payloads, signatures }: { payloads: Payloads; signatures: Signatures },
): MaybePromise<CallMessage> {
  if (isRelayed(message.headers))
    throw new MalformedMessage("the server published it as its answer to somebody, who may not say this");
  const text = message.string();
  const object = readReference(text);
  if (object === undefined) return readBody(text, message, signatures);
  const account = readExecuteSubject(message.subject)?.account;
  if (account !== undefined && keyPrefix(object) !== account)
    throw new MalformedMessage(`a call from account ${account} cannot be kept under ${keyPrefix(object)}`);
  return payloads.load(object).then((body) => readBody(body, message, signatures));
}

/** Whatever is wrong with what was read in full is wrong with the message. */
function readBody(text: string, { subject, headers }: Sendable, signatures: Signatures): CallMessage {
  try {
    const call = readCall(text, subject);
    if (!signatures.demanded) return call;
    const signedBy = call.account ?? keyPrefix(call.key);
    return { ...call, signedBy, signedAt: signatures.check(signedBy, { subject, headers, text }) };
  } catch (error) {
    throw error instanceof MalformedMessage ? error : new MalformedMessage(messageOf(error));
  }
}

/** Puts what is no call among the dead letters. Returns the reason. */
export async function buryMalformed(
  message: { subject: string; data: Uint8Array },
  seq: string,
  error: unknown,
  { publisher, counters }: Pick<DeliveryParts, "publisher" | "counters">,
): Promise<string> {
  const reason = messageOf(error).replaceAll(/\s+/g, " ").slice(0, 200);
  counters.buried += 1;
  await bury(publisher, message, { tool: "malformed", reason, id: `${message.subject}-${seq}` });
  return reason;
}
