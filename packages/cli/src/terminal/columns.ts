import { wrap } from "./wrap.ts";

export type Row = readonly string[];

/** Where a column begins, and whether on a line below that of the column before it. */
interface Place {
  at: number;
  below: boolean;
}

const GAP = 2;
/** The last column is wrapped, and begins on a line below only where less than this is left for it. */
const LEAST_ROOM = 24;

/**
 * Writes any of these rows so that all of them stand in columns. Where `room` is too narrow, columns that do not fit are
 * put on an indented line below, and the last one is wrapped: nothing is cut off.
 */
export function columnsFor(rows: readonly Row[], room: number): (row: Row) => string {
  const [first = []] = rows;
  const widths = first.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const places = placesOf(widths, room);
  return (row) => textOf(row, places, room);
}

function placesOf(widths: readonly number[], room: number): Place[] {
  let end = 0;
  return widths.map((width, column) => {
    const needed = column === widths.length - 1 ? Math.min(width, LEAST_ROOM) : width;
    const below = column > 0 && end + GAP + needed > room;
    const at = column === 0 ? 0 : below ? GAP : end + GAP;
    end = at + width;
    return { at, below };
  });
}

function textOf(row: Row, places: readonly Place[], room: number): string {
  const lines: string[] = [];
  let line = "";
  for (const [column, { at, below }] of places.entries()) {
    if (below) {
      lines.push(line);
      line = "";
    }
    const cell = row[column] ?? "";
    const [start = "", ...rest] = column === places.length - 1 ? wrap(cell, room - at) : [cell];
    line = `${line.padEnd(at)}${start}`;
    for (const each of rest) {
      lines.push(line);
      line = `${" ".repeat(at)}${each}`;
    }
  }
  return [...lines, line].map((each) => each.trimEnd()).join("\n");
}
