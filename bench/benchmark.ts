/** What one case measured, by name: costs relative to the case's own baseline, or bytes. Never absolute times. */
export type Measured = Readonly<Record<string, number>>;

/** One round: what every case measured, each in its own fresh process. */
export type Round = (name: string) => Measured;

export type Goal = { atMost: number } | { atLeast: number };

export interface Row {
  label: string;
  /** Computed inside one round, so that both sides of a ratio saw the same machine. */
  value(round: Round): number;
  goal?: Goal;
  /** What the value is: "×" (the default) or a unit of memory. */
  unit?: string;
  /** True when the value is only a lower bound, for example because a peer was stopped early. */
  bound?(round: Round): boolean;
}

export interface Table {
  title: string;
  rows: readonly Row[];
}

export interface Benchmark {
  /** How many rounds are run unless more or fewer are asked for. */
  rounds: number;
  /** Run once a round, each in a fresh process. A case loads its peers itself, so that no process pays for another's. */
  cases: Readonly<Record<string, () => Promise<Measured>>>;
  tables: readonly Table[];
}
