import { cutTo, displayWidth, padTo } from "./display-width.ts";
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
/** No column is cut to less than this: one could not tell its rows apart. */
const LEAST_NAME = 16;

/**
 * Writes any of these rows so that all of them stand in columns. Where `room` is too narrow, columns that do not fit are
 * put on an indented line below, and the last one is wrapped, so that nothing is cut off; with `cut` it ends in "…".
 */
export function columnsFor(rows: readonly Row[], room: number, cut = false): (row: Row) => string {
  const places = placesOf(columnWidths(rows), room);
  return (row) => layOut(row, places, (cell, left) => (cut ? [cutTo(cell, left)] : wrap(cell, left)), room);
}

/** How wide each column is. */
function columnWidths(rows: readonly Row[]): number[] {
  const [first = []] = rows;
  return first.map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))));
}

/** How much of `room` is left for the last column when the others stand beside it. */
export function roomForLast(rows: readonly Row[], room: number): number {
  const before = columnWidths(rows).slice(0, -1);
  return room - before.reduce((sum, width) => sum + width + GAP, 0);
}

/** The rows with their widest column cut, so that every row has one line; as they are where a name would be left with less than 16. */
export function narrowed(rows: readonly Row[], room: number): readonly Row[] {
  const widths = columnWidths(rows);
  const before = widths.slice(0, -1);
  const most = Math.max(...before) - (Math.min(widths.at(-1) ?? 0, LEAST_ROOM) - roomForLast(rows, room));
  const widest = before.indexOf(Math.max(...before));
  if (most >= (before[widest] ?? 0) || most < LEAST_NAME) return rows;
  return rows.map((row) => row.map((cell, column) => (column === widest ? cutTo(cell, most) : cell)));
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

function layOut(
  row: Row,
  places: readonly Place[],
  fit: (cell: string, left: number) => string[],
  room: number,
): string {
  const lines: string[] = [];
  let line = "";
  for (const [column, { at, below }] of places.entries()) {
    if (below) {
      lines.push(line);
      line = "";
    }
    const cell = row[column] ?? "";
    const [start = "", ...rest] = column === places.length - 1 ? fit(cell, room - at) : [cell];
    line = `${padTo(line, at)}${start}`;
    for (const each of rest) {
      lines.push(line);
      line = `${" ".repeat(at)}${each}`;
    }
  }
  return [...lines, line].map((each) => each.trimEnd()).join("\n");
}
