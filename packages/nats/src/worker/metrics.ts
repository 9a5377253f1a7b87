import type { CallEvent } from "@toolrig/core";
import type { DeliveryCounters } from "./deliver/counters.ts";

/** One measured thing, as plain data. */
export interface Metric {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: {
    suffix?: "_bucket" | "_sum" | "_count";
    labels: Readonly<Record<string, string>>;
    value: number;
  }[];
}

/** Upper ends in seconds: 1 ms, doubled eleven times. */
const ENDS = Array.from({ length: 12 }, (_, power) => 0.001 * 2 ** power);

interface Counted {
  labels: Readonly<Record<string, string>>;
  value: number;
}

interface Durations {
  /** Each counts all that is not above its end. */
  buckets: { end: number; count: number }[];
  sum: number;
  total: number;
}

const COUNTED: readonly [keyof DeliveryCounters, string, string][] = [
  ["received", "messages_received_total", "Messages taken from the queue"],
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

/** What a worker did, by tool. */
export class WorkerMetrics {
  readonly #counters = new Map<string, Map<string, Counted>>();
  readonly #durations = new Map<string, Durations>();

  observe(event: CallEvent): void {
    const { name } = event;
    if (event.type === "call.retry") {
      this.#count("retries_total", name, "error_kind", event.failure.kind);
      return;
    }
    if (event.type !== "call.end") return;
    const { failure, attempts, durationMs } = event.result;
    const status = failure === undefined ? "success" : failure.kind === "timeout" ? "timeout" : "error";
    this.#count("executions_total", name, "status", status);
    this.#time(name, durationMs / 1_000);
    if (failure === undefined) return;
    this.#count("errors_total", name, "error_type", failure.code);
    if (failure.kind === "timeout") this.#count("timeout_total", name);
    if (failure.code === "TOOL_NOT_ALLOWED") this.#count("filtered_total", name, "reason", "not_allowed");
    else if (failure.kind === "denied") this.#count("rejections_total", name, "reason", failure.code);
    if (attempts > 1) this.#count("retries_exhausted_total", name);
  }

  snapshot(of: { registered: number; inFlight: number; counters: DeliveryCounters }): Metric[] {
    const { registered, inFlight, counters } = of;
    return [
      this.#counter("executions_total", "Calls that ended, by tool and status"),
      { ...this.#histogram(), name: "execution_duration_seconds" },
      this.#counter("errors_total", "Calls that failed, by tool and code"),
      this.#counter("timeout_total", "Calls that ran out of time"),
      this.#counter("filtered_total", "Calls of tools that are not allowed"),
      this.#counter("rejections_total", "Calls that a rule or a person refused"),
      this.#counter("retries_total", "Attempts that failed and were followed by another"),
      this.#counter("retries_exhausted_total", "Calls that failed after their last attempt"),
      gauge("registered", "Tools of this worker", registered),
      gauge("in_flight", "Calls under way", inFlight),
      ...COUNTED.map(
        ([field, name, help]): Metric => ({
          name,
          type: "counter",
          help,
          samples: [{ labels: {}, value: counters[field] }],
        }),
      ),
    ];
  }

  #count(name: string, tool: string, label?: string, value = ""): void {
    const series = this.#counters.get(name) ?? new Map<string, Counted>();
    this.#counters.set(name, series);
    const key = `${tool} ${value}`;
    const counted = series.get(key);
    if (counted !== undefined) counted.value += 1;
    else series.set(key, { labels: { tool_name: tool, ...(label && { [label]: value }) }, value: 1 });
  }

  #time(tool: string, seconds: number): void {
    const known = this.#durations.get(tool) ?? {
      buckets: ENDS.map((end) => ({ end, count: 0 })),
      sum: 0,
      total: 0,
    };
    this.#durations.set(tool, known);
    known.sum += seconds;
    known.total += 1;
    for (const bucket of known.buckets) if (seconds <= bucket.end) bucket.count += 1;
  }

  #counter(name: string, help: string): Metric {
    const samples = Array.from(this.#counters.get(name)?.values() ?? [], (counted) => ({ ...counted }));
    return { name, type: "counter", help, samples };
  }

  #histogram(): Omit<Metric, "name"> {
    const samples = Array.from(this.#durations, ([tool_name, { buckets, sum, total }]): Metric["samples"] => [
      ...buckets.map(({ end, count }) => ({
        suffix: "_bucket" as const,
        labels: { tool_name, le: String(end) },
        value: count,
      })),
      { suffix: "_bucket", labels: { tool_name, le: "+Inf" }, value: total },
      { suffix: "_sum", labels: { tool_name }, value: sum },
      { suffix: "_count", labels: { tool_name }, value: total },
    ]).flat();
    return { type: "histogram", help: "How long calls took", samples };
  }
}

/** The text format of Prometheus. */
export function prometheusText(metrics: readonly Metric[], prefix = "agentic_tools"): string {
  const lines = metrics.flatMap(({ name, type, help, samples }) => [
    `# HELP ${prefix}_${name} ${help}`,
    `# TYPE ${prefix}_${name} ${type}`,
    ...samples.map(({ suffix = "", labels, value }) => `${prefix}_${name}${suffix}${shown(labels)} ${value}`),
  ]);
  return `${lines.join("\n")}\n`;
}

function shown(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => {
    const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    return `${label}="${escaped}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: "gauge", help, samples: [{ labels: {}, value }] };
}
