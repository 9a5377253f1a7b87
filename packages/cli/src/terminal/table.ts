import { columnsFor, type Row } from "./columns.ts";
import { paint, printStyled, type Tone, visible, widthOf } from "./output.ts";

/** Items for people with a header in columns; for programs a line each, fields separated by tabs, and no header. */
export function printTable<Item>(
  head: Row,
  items: readonly Item[],
  cellsOf: (item: Item) => Row,
  toneOf: (item: Item) => Tone = () => "plain",
): void {
  const rows = items.map((item) => ({ cells: cellsOf(item).map(clean), tone: toneOf(item) }));
  if (!process.stdout.isTTY) {
    printStyled(rows.map(({ cells }) => cells.join("\t")));
  } else if (rows.length > 0) {
    const textOf = columnsFor([head, ...rows.map(({ cells }) => cells)], widthOf("stdout"));
    printStyled([paint(textOf(head), "dim"), ...rows.map(({ cells, tone }) => paint(textOf(cells), tone))]);
  }
}

function clean(cell: string): string {
  return visible(cell).replace(/[\t\n]/g, " ");
}
