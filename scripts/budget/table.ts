/** The committed limits, `limits.json`: a group for each kind of figure, and in it a limit for each entry. They only go down. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A kind of figure that is the same on every machine. Bytes and promises of a call are to be others. */
export type Kind = "modules";
type Limits = Record<Kind, Record<string, number>>;

const file = join(import.meta.dirname, "limits.json");
/** A change may exceed a limit by so much: a new file in core is no reason to edit the table. */
const SLACK = 1.03;

export function readLimits(): Limits {
  return JSON.parse(readFileSync(file, "utf8")) as Limits;
}

/** The largest figure that passes. */
export function mostOf(limit: number): number {
  return Math.floor(limit * SLACK);
}

/** Writes figures that are below their limits as the new limits, and returns the entries whose limit went down. */
export function lowerLimits(kind: Kind, figures: Readonly<Record<string, number>>): string[] {
  const limits = readLimits();
  const lowered = Object.keys(figures).filter((name) => (figures[name] ?? 0) < (limits[kind][name] ?? 0));
  for (const name of lowered) limits[kind][name] = figures[name] ?? 0;
  writeFileSync(file, `${JSON.stringify(limits, undefined, 2)}\n`);
  return lowered;
}
