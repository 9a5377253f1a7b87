import type { EventStream } from "@toolrig/core";
import type { Metric } from "./metric.ts";

/** Whoever runs calls: a rig, an `Executor`, a `NatsExecutor` or a `NatsWorker`. What it cannot tell is not measured. */
export interface Measured {
  readonly events: EventStream;
  /** Of a rig. */
  readonly executor?: Pick<Measured, "health">;
  readonly tools?: { tools(): readonly unknown[] } | undefined;
  health?(): Health;
  /** Of a worker: what it did with its messages. */
  dataFlow?(): object;
  /** Of a caller of a fleet. */
  counts?(): { out: number; waiting: number };
}

interface Health {
  readonly inFlight: number;
  readonly queued: number;
  readonly recordsDropped: number;
  readonly listenerFaults: number;
  readonly ledger?: object;
}

const DELIVERIES: readonly (readonly [field: string, name: string, help: string])[] = [
  ["received", "messages_received_total", "Messages taken from the queue"],
  ["parked", "parked_total", "Calls that were put aside until what they wait for comes"],
  ["duplicates", "duplicates_total", "Messages of calls that were done or under way"],
  ["takenOver", "taken_over_total", "Calls of lost workers that were started again"],
  ["unknown", "outcome_unknown_total", "Calls of lost workers that were answered as unknown"],
  ["late", "late_total", "Outcomes that came after somebody else had taken over"],
  ["buried", "dead_letters_total", "Messages put aside"],
  ["handedBack", "handed_back_total", "Calls given back because the worker stopped"],
  ["overran", "overran_total", "Answered calls whose code went on until their places were given to others"],
  ["errors", "delivery_errors_total", "Deliveries that failed and were given back"],
  ["refused", "publishes_refused_total", "Messages that the server did not let this worker publish"],
];

/** What is read when somebody asks. Of many who run calls, the sum. */
export function measure(prefix: string, all: Iterable<Measured>): Metric[] {
  const values = new Map<string, Metric>();
  const put = (
    type: "gauge" | "counter",
    name: string,
    help: string,
    value: number,
    labels: Readonly<Record<string, string>> = {},
  ) => {
    const metric = values.get(name) ?? { name: `${prefix}_${name}`, type, help, samples: [] };
    values.set(name, metric);
    const same = metric.samples.find((sample) => JSON.stringify(sample.labels) === JSON.stringify(labels));
    if (same === undefined) metric.samples.push({ labels, value });
    else same.value += value;
  };
  for (const each of all) {
    const health = each.health?.() ?? each.executor?.health?.();
    const counts = each.counts?.();
    if (each.tools !== undefined)
      put("gauge", "registered", "Tools that can be called", each.tools.tools().length);
    put("gauge", "in_flight", "Calls under way", health?.inFlight ?? counts?.out ?? 0);
    put(
      "gauge",
      "queued",
      "Calls that wait for a slot, a token or a lock",
      health?.queued ?? counts?.waiting ?? 0,
    );
    if (health !== undefined) {
      put(
        "counter",
        "records_dropped_total",
        "Records of calls that could not be kept",
        health.recordsDropped,
      );
      put(
        "counter",
        "listener_faults_total",
        "Times that a listener of events failed",
        health.listenerFaults,
      );
      for (const [outcome, value] of numbers(health.ledger))
        put("counter", "ledger_outcomes_total", "What the ledger was told of calls", value, { outcome });
    }
    const flow = new Map(numbers(each.dataFlow?.()));
    for (const [field, name, help] of DELIVERIES) {
      const value = flow.get(field);
      if (value !== undefined) put("counter", name, help, value);
    }
  }
  return [...values.values()];
}

function numbers(values: object = {}): [string, number][] {
  return Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === "number");
}
