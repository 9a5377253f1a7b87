import { type TracerProvider, trace } from "@opentelemetry/api";
import { type RedactOptions, Redactor, type Tracer } from "@toolrig/core";
import { type CallTracer, declareOptions, type OptionTable, option, redactOption } from "@toolrig/core/kit";
import { countIn, Metrics } from "./metrics/metrics.ts";
import { Traces, UNTRACED_RUN } from "./traces/traces.ts";

export interface TelemetryOptions {
  /** Whether there are spans. Without an OpenTelemetry SDK in the process they go nowhere. Default true. */
  traces?: boolean;
  /** Whether calls, runs and responses are counted. Default true. */
  metrics?: boolean;
  /** Where spans go. Default: the provider that the process has registered. */
  tracerProvider?: TracerProvider;
  /** The name of the agent in the spans of runs. Default: none. */
  agent?: string;
  /** What spans hold of the data itself, without secrets and at most 10,000 characters each. Default: nothing. */
  record?: { arguments?: boolean; results?: boolean };
  /** What counts as secret in what is recorded. Default: as the executor has it by default; a rig gives its own. */
  redact?: RedactOptions | Redactor;
  /** The beginning of the names of metrics. Default "agentic_tools". */
  prefix?: string;
}

const telemetryOptions = declareOptions("telemetry", {
  traces: option.flag({ default: true }),
  metrics: option.flag({ default: true }),
  tracerProvider: option.part<TracerProvider>("a tracer provider of OpenTelemetry", ["getTracer"]),
  agent: option.text(),
  record: option.group(
    declareOptions("record", {
      arguments: option.flag(),
      results: option.flag(),
    } satisfies OptionTable<NonNullable<TelemetryOptions["record"]>>),
  ),
  redact: redactOption(),
  prefix: option.that(
    "letters, digits and _, not beginning with a digit",
    (value) => typeof value === "string" && /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(value),
    { default: "agentic_tools" },
  ),
} satisfies OptionTable<TelemetryOptions>);

/** Follows calls and runs as spans, and counts them. One serves any number of executors, loops and workers. */
export interface Telemetry extends Tracer {
  /** What was counted. `metricsOf(executor)` also tells what only that one knows, such as calls under way. */
  readonly metrics: Metrics;
}

/**
 * Spans and metrics of whatever it is given to as `tracer`. Throws `OPTION_INVALID`, naming the option.
 *
 * @example
 * ```ts
 * import { Executor, tool } from "@toolrig/core";
 * import { telemetry } from "@toolrig/telemetry";
 *
 * const input = { type: "object" } as const;
 * const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
 * const executor = new Executor({ tools: [ping], tracer: telemetry() });
 * console.log((await executor.call({ id: "call_1", name: "ping" })).value); //=> pong
 * ```
 */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  telemetryOptions.check(options);
  const { redact, record = {}, agent, tracerProvider = trace, prefix } = options;
  const metrics = new Metrics(prefix);
  const traces =
    options.traces === false
      ? undefined
      : new Traces({
          tracer: tracerProvider.getTracer("@toolrig/telemetry"),
          redactor: redact instanceof Redactor ? redact : new Redactor(redact),
          recordArguments: record.arguments === true,
          recordResults: record.results === true,
          agent,
        });
  const counts = options.metrics !== false;
  return {
    metrics,
    calls(events) {
      if (counts) countIn(metrics, events);
      return traces?.calls(events) ?? UNTRACED;
    },
    run(run, code) {
      const traced = () => traces?.run(run, code) ?? code(UNTRACED_RUN);
      return counts ? metrics.run(run, traced) : traced();
    },
    inference(asked, code) {
      const traced = traces === undefined ? code : () => traces.inference(asked, code);
      return counts ? metrics.inference(asked, traced) : traced();
    },
  };
}

const UNTRACED: CallTracer = { within: (_call, code) => code(), carrier: () => undefined };
