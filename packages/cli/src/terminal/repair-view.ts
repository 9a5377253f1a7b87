import type { Decoded, DecodeMode, Repair } from "@toolrig/core";
import type { Degree } from "@toolrig/json";
import { excerpt } from "./event-text.ts";
import { paint } from "./output.ts";

const MAX_SHOWN = 50;
const EXCERPT = 40;

const HEADLINE: Record<DecodeMode, string> = {
  strict: "valid as written",
  repaired: "repaired",
  partial: "cut off: what is missing cannot be known",
};

const SURE: Record<Degree, string> = {
  exact: "",
  guess: " by guessing: no tool with side effects runs on it unasked",
  lossy: " with loss: no tool with side effects runs on it",
};

/** What was changed in a text, a line each in the manner of a diff: where, what kind, what was there, what is now. */
export function repairView(text: string, { mode, degree, repairs }: Decoded): string[] {
  const shown = repairs.slice(0, MAX_SHOWN);
  const rows = shown.map((repair) => ({ place: placeOf(repair, text), repair }));
  const places = Math.max(0, ...rows.map((row) => row.place.length));
  const kinds = Math.max(0, ...shown.map((repair) => repair.kind.length));
  const count = repairs.length === 1 ? "1 change" : `${repairs.length} changes`;
  const headline = mode === "partial" ? HEADLINE.partial : `${HEADLINE[mode]}${SURE[degree]}`;
  const lines = [repairs.length === 0 ? headline : `${headline}, ${count}`];
  for (const { place, repair } of rows) {
    const what = `${paint(place.padStart(places), "dim", "stderr")}  ${repair.kind.padEnd(kinds)}`;
    const doubt = repair.degree === "exact" ? "" : paint(`  (${repair.degree})`, "warn", "stderr");
    lines.push(`  ${what}  ${change(repair)}${doubt}`);
  }
  if (repairs.length > shown.length)
    lines.push(`  and ${repairs.length - shown.length} more; --json lists all`);
  return lines;
}

function change({ before, after }: Repair): string {
  const removed = before === "" ? [] : [paint(`- ${shownAs(before)}`, "bad", "stderr")];
  const added = after === "" ? [] : [paint(`+ ${shownAs(after)}`, "good", "stderr")];
  return [...removed, ...added].join("  ");
}

function shownAs(part: string): string {
  return part.trim() === "" || part.includes("\n")
    ? JSON.stringify(part.slice(0, EXCERPT))
    : excerpt(part, EXCERPT);
}

/** "3:14", line and column, for changes in the text; the JSON Pointer for changes of a value. */
function placeOf({ position, path }: Repair, text: string): string {
  if (position === undefined) return path === undefined || path === "" ? "(whole)" : excerpt(path, EXCERPT);
  const before = text.slice(0, position);
  const column = position - before.lastIndexOf("\n");
  return `${before.split("\n").length}:${column}`;
}
