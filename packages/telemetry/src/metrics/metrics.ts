import type { EventStream } from "@toolrig/core";
import type { TracedAnswer, TracedInference, TracedOutcome, TracedRun } from "@toolrig/core/kit";
import { check } from "@toolrig/core/kit";
import { CallMetrics } from "./call-metrics.ts";
import { type Measured, measure } from "./measured.ts";
import { type Metric, metricsText } from "./metric.ts";
import { processMetrics } from "./process-metrics.ts";
import { Counter, Histogram } from "./series.ts";

/** One request that a server has answered. */
export interface ServedRequest {
  method: string;
  /** As it is declared, such as "/api/v1/calls/{id}": never the path that came, of which there is no end. */
  route: string;
  status: number;
  durationMs: number;
}

/** What calls, runs, models and requests came to, for Prometheus. */
export class Metrics {
  readonly #prefix: string;
  readonly #calls: CallMetrics;
  readonly #watched = new WeakSet<EventStream>();
  readonly #measured = new Map<EventStream, Measured>();
  readonly #runs: Counter;
  readonly #runDurations: Histogram;
  readonly #modelRequests: Counter;
  readonly #modelDurations: Histogram;
  readonly #tokens: Counter;
  readonly #requests: Counter;
  readonly #requestDurations: Histogram;
  #running = 0;

  constructor(prefix = "agentic_tools") {
    this.#prefix = prefix;
    this.#calls = new CallMetrics(prefix);
    const counter = (name: string, help: string, ...labels: string[]) =>
      new Counter(`${prefix}_${name}`, help, labels);
    const histogram = (name: string, help: string, ...labels: string[]) =>
      new Histogram(`${prefix}_${name}`, help, labels);
    this.#runs = counter("runs_total", "Runs that ended or were suspended, by how", "kind", "status");
    this.#runDurations = histogram("run_duration_seconds", "How long runs took", "kind");
    this.#modelRequests = counter(
      "model_requests_total",
      "Responses of models, by how they ended",
      "model",
      "finish",
    );
    this.#modelDurations = histogram("model_duration_seconds", "How long models took to respond", "model");
    this.#tokens = counter("model_tokens_total", "Tokens of models' responses", "model", "type");
    this.#requests = counter(
      "server_requests_total",
      "Requests that were answered",
      "route",
      "method",
      "status",
    );
    this.#requestDurations = histogram("server_request_duration_seconds", "How long requests took", "route");
  }

  /** Everything so far, as plain data. */
  metrics(): Metric[] {
    return [
      ...this.#calls.metrics(),
      ...measure(this.#prefix, this.#measured.values()),
      this.#runs.metric(),
      this.#runDurations.metric(),
      {
        name: `${this.#prefix}_runs_in_flight`,
        type: "gauge",
        help: "Runs under way",
        samples: [{ labels: {}, value: this.#running }],
      },
      this.#modelRequests.metric(),
      this.#modelDurations.metric(),
      this.#tokens.metric(),
      this.#requests.metric(),
      this.#requestDurations.metric(),
      ...processMetrics(),
    ];
  }

  /** The same in the text format of Prometheus, whose media type is `METRICS_TYPE`. */
  text(): string {
    return metricsText(this.metrics());
  }

  /** Counts a request that a server has answered. */
  request({ method, route, status, durationMs }: ServedRequest): void {
    this.#requests.add(1, route, method, String(status));
    this.#requestDurations.observe(durationMs / 1_000, route);
  }

  /** Counts what is told on a stream, however many share it. */
  watch(events: EventStream): void {
    if (this.#watched.has(events)) return;
    this.#watched.add(events);
    this.#calls.watch(events);
  }

  /** Reads what only whoever runs the calls of a stream can tell. */
  read(measured: Measured): void {
    this.#measured.set(measured.events, measured);
  }

  /** Counts a run, which `code` is. */
  async run<Outcome extends TracedOutcome>(
    { kind }: TracedRun,
    code: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const since = performance.now();
    this.#running += 1;
    let status = "failed";
    try {
      const outcome = await code();
      ({ status } = outcome);
      return outcome;
    } finally {
      this.#running -= 1;
      this.#runs.add(1, kind, status);
      this.#runDurations.observe((performance.now() - since) / 1_000, kind);
    }
  }

  /** Counts a response of a model, which `code` is. */
  async inference<Answer extends TracedAnswer>(
    { engine }: TracedInference,
    code: () => Promise<Answer>,
  ): Promise<Answer> {
    const since = performance.now();
    const answer = await code();
    const { message, fault } = answer;
    const usage = message?.usage ?? answer.usage;
    this.#modelDurations.observe((performance.now() - since) / 1_000, engine);
    this.#modelRequests.add(1, engine, message?.finishReason ?? fault?.kind ?? "aborted");
    if (usage === undefined) return answer;
    this.#tokens.add(usage.inputTokens, engine, "input");
    this.#tokens.add(usage.outputTokens, engine, "output");
    if (usage.cachedInputTokens !== undefined)
      this.#tokens.add(usage.cachedInputTokens, engine, "cached_input");
    if (usage.reasoningTokens !== undefined) this.#tokens.add(usage.reasoningTokens, engine, "reasoning");
    return answer;
  }
}

/** By the stream on which the calls are told that they count. */
const known = new WeakMap<EventStream, Metrics>();

/** Counts the calls of a stream from now on. */
export function countIn(metrics: Metrics, events: EventStream): void {
  if (!known.has(events)) known.set(events, metrics);
  metrics.watch(events);
}

/**
 * The metrics of a rig, an executor or a worker: those of its `telemetry`, or else such as count its calls from now on. The same
 * each time for the same one.
 *
 * @example
 * ```ts
 * import { metricsOf } from "@toolrig/telemetry";
 * import { rig, tool } from "toolrig";
 *
 * const input = { type: "object" } as const;
 * const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
 * const own = rig({ tools: [ping] });
 * const metrics = metricsOf(own);
 * await own.call({ id: "call_1", name: "ping" });
 * console.log(metrics.text().includes('agentic_tools_executions_total{tool_name="ping",status="success"} 1')); //=> true
 * await own.close();
 * ```
 */
export function metricsOf(measured: Measured): Metrics {
  if (typeof measured?.events?.watch !== "function")
    throw check.invalid("What is measured", "a rig, an executor or a worker", measured);
  let metrics = known.get(measured.events);
  if (metrics === undefined) {
    metrics = new Metrics();
    countIn(metrics, measured.events);
  }
  metrics.read(measured);
  return metrics;
}
