import { messageOf } from "@toolrig/core/kit";
import { bury } from "../../fleet/dead-letters.ts";
import { type CallMessage, readCall, readReference } from "../../wire/messages.ts";
import type { Payloads } from "../../wire/payload.ts";
import type { Delivered } from "./delivered.ts";
import type { DeliveryParts } from "./parts.ts";
import type { RunningCall } from "./running-calls.ts";

/** Reads the call. A message that holds none is put aside; a copy of a call that is here already is left for later. */
export async function receive(message: Delivered, parts: DeliveryParts): Promise<RunningCall | "settled"> {
  const { payloads, running, counters, ackWaitMs } = parts;
  counters.received += 1;
  let call: CallMessage;
  try {
    call = await read(message, payloads);
  } catch (error) {
    await buryMalformed(message, error, parts);
    return "settled";
  }
  // Before the claim: a peer that reads "started" in the ledger must hear "running" from here.
  const begun = running.begin(message, call);
  if (begun !== undefined) return begun;
  counters.duplicates += 1;
  message.nak(ackWaitMs);
  return "settled";
}

async function read(message: Delivered, payloads: Payloads): Promise<CallMessage> {
  const text = message.string();
  const object = readReference(text);
  return readCall(object === undefined ? text : await payloads.load(object), message.subject);
}

async function buryMalformed(
  message: Delivered,
  error: unknown,
  { publisher, counters }: DeliveryParts,
): Promise<void> {
  const reason = messageOf(error).replaceAll(/\s+/g, " ").slice(0, 200);
  try {
    counters.buried += 1;
    const id = `${message.subject}-${message.seq}`;
    await bury(publisher, message, { tool: "malformed", reason, id });
    message.term(reason);
  } catch {
    message.nak(1_000);
  }
}
