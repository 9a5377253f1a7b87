/** Spans of OpenTelemetry and metrics for Prometheus, of calls and runs. */

export type { Measured } from "./metrics/measured.ts";
export { METRICS_TYPE, type Metric, metricsText, type Sample } from "./metrics/metric.ts";
export { Metrics, metricsOf, type ServedRequest } from "./metrics/metrics.ts";
export { type Telemetry, type TelemetryOptions, telemetry } from "./telemetry.ts";
