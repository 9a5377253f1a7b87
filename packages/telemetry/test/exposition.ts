/** A strict reader of the text format of Prometheus: throws for whatever a scraper would refuse, or read as something else. */
export interface Exposed {
  type: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;

export function readExposition(text: string): Map<string, Exposed> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const found = new Map<string, Exposed>();
  const seen = new Set<string>();
  let current: { name: string; exposed: Exposed } | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const [mark, word, name = "", ...rest] = line.split(" ");
    if (mark === "#" && word === "HELP") {
      if (!NAME.test(name) || found.has(name)) throw new Error(`HELP of ${name}, again or wrong`);
      current = { name, exposed: { type: "", samples: [] } };
      found.set(name, current.exposed);
    } else if (mark === "#" && word === "TYPE") {
      if (current?.name !== name) throw new Error(`TYPE of ${name} stands apart from its HELP`);
      current.exposed.type = rest.join(" ");
    } else {
      if (current === undefined) throw new Error(`a sample without a metric: ${line}`);
      current.exposed.samples.push(sampleOf(line, current, seen));
    }
  }
  for (const [name, exposed] of found) checkMetric(name, exposed);
  return found;
}

function sampleOf(
  line: string,
  { name: metric, exposed }: { name: string; exposed: Exposed },
  seen: Set<string>,
): Exposed["samples"][number] {
  const [, name = "", inner, number = ""] = SAMPLE.exec(line) ?? [];
  const suffixes = exposed.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  if (!suffixes.some((suffix) => name === metric + suffix)) throw new Error(`not of ${metric}: ${line}`);
  const labels = inner === undefined ? {} : labelsOf(inner);
  const key = JSON.stringify([name, Object.entries(labels).sort()]);
  if (seen.has(key)) throw new Error(`twice: ${line}`);
  seen.add(key);
  const value = Number(number.replace("+Inf", "Infinity"));
  if (Number.isNaN(value) && number !== "NaN") throw new Error(`no number: ${line}`);
  return { name, labels, value };
}

function labelsOf(inner: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inner.length) {
    const [, label = "", value = ""] = LABEL.exec(inner) ?? [];
    if (label === "" || label in labels) throw new Error(`labels: ${inner}`);
    labels[label] = value.replaceAll(/\\(.)/g, (_, mark: string) => (mark === "n" ? "\n" : mark));
  }
  return labels;
}

function checkMetric(name: string, { type, samples }: Exposed): void {
  if (!["counter", "gauge", "histogram"].includes(type)) throw new Error(`${name} is a ${type}`);
  if (type === "counter" && !name.endsWith("_total")) throw new Error(`${name} does not end in _total`);
  if (samples.length === 0) throw new Error(`${name} has no samples`);
  if (type !== "gauge" && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} went below 0`);
  if (type === "histogram") checkBuckets(name, samples);
}

function checkBuckets(metric: string, samples: Exposed["samples"]): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest));
  for (const [key, each] of series) {
    const buckets = each.filter(({ name }) => name.endsWith("_bucket"));
    const ends = buckets.map(({ labels }) => Number(labels.le?.replace("+Inf", "Infinity")));
    const rises = (values: number[]) =>
      values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0));
    if (!rises(ends) || !rises(buckets.map(({ value }) => value))) throw new Error(`${metric}${key} falls`);
    const count = each.find(({ name }) => name.endsWith("_count"))?.value;
    if (ends.at(-1) !== Number.POSITIVE_INFINITY || buckets.at(-1)?.value !== count)
      throw new Error(`${metric}${key} ends before all is counted`);
    if (!each.some(({ name }) => name.endsWith("_sum"))) throw new Error(`${metric}${key} has no sum`);
  }
}
