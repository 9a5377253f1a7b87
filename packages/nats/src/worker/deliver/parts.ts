import type { NatsConnection } from "@nats-io/transport-node";
import type { Executor, Redactor, ToolSource } from "@toolrig/core";
import type { CallStore } from "@toolrig/core/kit";
import type { AckedPublisher } from "../../wire/acked-publisher.ts";
import type { CallLedger } from "../../wire/call-ledger.ts";
import type { CallMessage } from "../../wire/messages.ts";
import type { Payloads } from "../../wire/payload.ts";
import type { Signatures } from "../../wire/signature.ts";
import type { Breaker } from "../breaker.ts";
import type { CallerRights } from "../caller-rights.ts";
import type { Gates } from "../gates/gates.ts";
import type { Early } from "../parked/early.ts";
import type { ParkedCalls } from "../parked/parked-calls.ts";
import type { Peers } from "../peers.ts";
import type { PlainResults } from "../plain-results.ts";
import type { RunningCode } from "../running-code.ts";
import type { DeliveryCounters } from "./counters.ts";
import type { RunningCalls } from "./running-calls.ts";
import type { Suspects } from "./suspects.ts";

/** What the stages of a delivery work with. */
export interface DeliveryParts {
  /** The id of this worker, as the ledger says who started a call. */
  worker: string;
  connection: NatsConnection;
  publisher: AckedPublisher;
  ledger: CallLedger;
  payloads: Payloads;
  plainResults: PlainResults;
  source: ToolSource;
  executor: Executor;
  gates: Gates;
  breaker: Breaker;
  peers: Peers;
  running: RunningCalls;
  parked: ParkedCalls;
  early: Early;
  suspects: Suspects;
  code: RunningCode;
  counters: DeliveryCounters;
  /** How long the server waits to hear of a message before it gives it to somebody else. */
  ackWaitMs: number;
  /** For how long the place of a call is kept whose code goes on after its answer. */
  overrunMs: number;
  /** How often an idempotent tool is started before the call counts as poison. */
  maxAttempts: number;
  /** What calls from other accounts count as. */
  callers: Readonly<Record<string, CallerRights>> | undefined;
  /** Whose signatures are known, and demanded if there are any. */
  signatures: Signatures;
  /** How long the ledger remembers a call. */
  ledgerTtlMs: number;
  probe: Probe | undefined;
  /** Where calls are recorded that were lost with another worker, if this one records calls. */
  losses: { store: CallStore; redactor: Redactor } | undefined;
}

/** Told where a call is. For tests that end the process at a certain point. */
export type Probe = (stage: DeliveryStage, call: CallMessage) => void;
export type DeliveryStage =
  | "received"
  | "claimed"
  | "ran"
  | "parking"
  | "parked"
  | "committed"
  | "acknowledged";
