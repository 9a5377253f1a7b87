import type { Cell } from "./cell.ts";
import { columnsFor, narrowed, type Row, roomForLast } from "./columns.ts";
import { paint, printStyled, type Tone, visible } from "./output.ts";
import { widthOf } from "./streams.ts";

/** The cells of an item, in the order of the head. */
export type TableRow = readonly (string | Cell)[];

export interface TableOptions<Item> {
  toneOf?: (item: Item) => Tone;
  /** Columns that people can do without: left out, the first of them first, while the last column has little room. */
  spare?: readonly string[];
  /** Whether the last column is cut off at the end of the line rather than wrapped: where another command shows all of it. */
  cut?: boolean;
}

/** The last column should have this much before others are left out. */
const GOOD_ROOM = 32;

/** Items for people with a header in columns; for programs a line each, fields separated by tabs, and no header. */
export function printTable<Item>(
  head: Row,
  items: readonly Item[],
  cellsOf: (item: Item) => TableRow,
  { toneOf = () => "plain", spare = [], cut = false }: TableOptions<Item> = {},
): void {
  const isTerminal = process.stdout.isTTY === true;
  const rows = items.map((item) => cellsOf(item).map((cell) => clean(cell, isTerminal)));
  if (!isTerminal) printStyled(rows.map((cells) => cells.join("\t")));
  else if (rows.length > 0) {
    const room = widthOf("stdout");
    const [shownHead = [], ...shown] = narrowed(fitted([head, ...rows], spare, room), room);
    const layOut = columnsFor([shownHead, ...shown], room, cut);
    const tones = items.map((item) => toneOf(item));
    printStyled([
      paint(layOut(shownHead), "dim"),
      ...shown.map((cells, index) => paint(layOut(cells), tones[index] ?? "plain")),
    ]);
  }
}

function fitted(rows: readonly Row[], spare: readonly string[], room: number): readonly Row[] {
  const [name, ...others] = spare;
  if (name === undefined || roomForLast(rows, room) >= GOOD_ROOM) return rows;
  const column = rows[0]?.indexOf(name);
  return fitted(
    rows.map((row) => row.filter((_, index) => index !== column)),
    others,
    room,
  );
}

function clean(cell: string | Cell, isTerminal: boolean): string {
  const text = typeof cell === "string" ? cell : isTerminal ? cell.short : cell.whole;
  return visible(text).replace(/[\t\n]/g, " ");
}
