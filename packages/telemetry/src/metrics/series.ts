import type { Metric, Sample } from "./metric.ts";

/** So many series a metric has at most. What comes after is counted together, with "(other)" in place of the first label. */
const MAX_SERIES = 2_000;
const OTHER = "(other)";

/** Upper ends in seconds. */
const ENDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;

/** Series of one metric, by the values of its labels. */
abstract class Series<Kept> {
  readonly name: string;
  readonly help: string;
  readonly #labels: readonly string[];
  readonly #kept = new Map<string, { values: readonly string[]; kept: Kept }>();

  constructor(name: string, help: string, labels: readonly string[] = []) {
    this.name = name;
    this.help = help;
    this.#labels = labels;
  }

  protected abstract fresh(): Kept;
  protected abstract samplesOf(kept: Kept, labels: Readonly<Record<string, string>>): Sample[];

  protected at(values: readonly string[]): Kept {
    const key = values.join("\u0000");
    const known = this.#kept.get(key);
    if (known !== undefined) return known.kept;
    if (this.#kept.size >= MAX_SERIES && values[0] !== OTHER) return this.at([OTHER, ...values.slice(1)]);
    const made = { values, kept: this.fresh() };
    this.#kept.set(key, made);
    return made.kept;
  }

  protected samples(): Sample[] {
    return Array.from(this.#kept.values(), ({ values, kept }) => {
      const labels = Object.fromEntries(this.#labels.map((label, index) => [label, values[index] ?? ""]));
      return this.samplesOf(kept, labels);
    }).flat();
  }
}

export class Counter extends Series<{ value: number }> {
  add(by: number, ...values: readonly string[]): void {
    this.at(values).value += by;
  }

  metric(): Metric {
    return { name: this.name, type: "counter", help: this.help, samples: this.samples() };
  }

  protected fresh(): { value: number } {
    return { value: 0 };
  }

  protected samplesOf({ value }: { value: number }, labels: Readonly<Record<string, string>>): Sample[] {
    return [{ labels, value }];
  }
}

interface Durations {
  /** How many fell between each end and the one before it. */
  readonly counts: number[];
  sum: number;
  total: number;
}

/** Durations in seconds. */
export class Histogram extends Series<Durations> {
  observe(seconds: number, ...values: readonly string[]): void {
    const durations = this.at(values);
    durations.sum += seconds;
    durations.total += 1;
    const index = ENDS.findIndex((end) => seconds <= end);
    if (index !== -1) durations.counts[index] = (durations.counts[index] ?? 0) + 1;
  }

  metric(): Metric {
    return { name: this.name, type: "histogram", help: this.help, samples: this.samples() };
  }

  protected fresh(): Durations {
    return { counts: ENDS.map(() => 0), sum: 0, total: 0 };
  }

  protected samplesOf({ counts, sum, total }: Durations, labels: Readonly<Record<string, string>>): Sample[] {
    let below = 0;
    const buckets = ENDS.map((end, index): Sample => {
      below += counts[index] ?? 0;
      return { suffix: "_bucket", labels: { ...labels, le: String(end) }, value: below };
    });
    return [
      ...buckets,
      { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: total },
      { suffix: "_sum", labels, value: sum },
      { suffix: "_count", labels, value: total },
    ];
  }
}
