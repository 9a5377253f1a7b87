/** One measured thing, as plain data. */
export interface Metric {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: Sample[];
}

export interface Sample {
  suffix?: "_bucket" | "_sum" | "_count";
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** The media type of `metricsText`. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Metrics in the text format of Prometheus. A metric that nothing was counted for is left out. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, type, help, samples }) => {
    if (samples.length === 0) return [];
    return [
      `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ({ suffix = "", labels, value }) => `${name}${suffix}${shown(labels)} ${numberText(value)}`,
      ),
    ];
  });
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function shown(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => {
    const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    return `${label}="${escaped}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
