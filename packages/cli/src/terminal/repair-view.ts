import type { DecodeMode, Repair } from "@toolrig/core";
import { excerpt } from "./event-text.ts";
import { paint } from "./output.ts";

const MAX_SHOWN = 50;
const EXCERPT = 40;

const HEADLINE: Record<DecodeMode, string> = {
  strict: "valid as written",
  repaired: "repaired",
  partial: "cut off: what is missing cannot be known",
};

/** What was changed in a text, a line each in the manner of a diff: where, what kind, what was there, what is now. */
export function repairView(text: string, mode: DecodeMode, repairs: readonly Repair[]): string[] {
  const shown = repairs.slice(0, MAX_SHOWN);
  const rows = shown.map((repair) => ({ place: placeOf(repair, text), repair }));
  const places = Math.max(0, ...rows.map((row) => row.place.length));
  const kinds = Math.max(0, ...shown.map((repair) => repair.kind.length));
  const count = repairs.length === 1 ? "1 change" : `${repairs.length} changes`;
  const lines = [repairs.length === 0 ? HEADLINE[mode] : `${HEADLINE[mode]}, ${count}`];
  for (const { place, repair } of rows) {
    const what = `${paint(place.padStart(places), "dim", "stderr")}  ${repair.kind.padEnd(kinds)}`;
    lines.push(`  ${what}  ${change(repair)}`);
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
