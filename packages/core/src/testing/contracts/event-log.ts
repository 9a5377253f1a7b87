import assert from "node:assert/strict";
import type { CallEvent, EventLog } from "../../call/events.ts";
import type { MaybePromise } from "../../maybe-promise.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

/** A log, and how a test can read what it keeps, oldest first. */
export interface ReadableEventLog {
  log: EventLog;
  events(): MaybePromise<readonly CallEvent[]>;
}

function eventOf(seq: number): CallEvent {
  return {
    type: "call.log",
    seq,
    at: 1_700_000_000_000 + seq,
    executionId: "exec_1",
    callId: "call_1",
    name: "search",
    level: "info",
    message: `event ${seq}: naïve 日本 🎉`,
  };
}

/** What every event log must do. */
export function eventLogContract(make: MakeSubject<ReadableEventLog>): ContractCase[] {
  return contract(make, {
    "events come back whole and in order": async ({ log, events }) => {
      const given = Array.from({ length: 200 }, (_, index) => eventOf(index + 1));
      for (const event of given) log.append(event);
      assert.deepEqual(await events(), given);
    },
    "appending answers at once and never throws": ({ log }) => {
      const circular: Record<string, unknown> = {};
      circular.self = circular;
      assert.equal(log.append({ ...eventOf(1), data: circular } as CallEvent), undefined);
    },
  });
}
