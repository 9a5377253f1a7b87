import type { Figures } from "./figures.ts";

/** Prints lines in columns: the first to the left, the others to the right. */
export function printTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  print: (line: string) => void,
): void {
  const widths = header.map((text, column) =>
    Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  print("");
  print(line(header));
  print(widths.map((width) => "-".repeat(width)).join("  "));
  for (const row of rows) print(line(row));
}

/** What a benchmark measured. */
export function printFigures({ tables }: Figures, print: (line: string) => void): void {
  for (const { title, figures } of tables)
    printTable(
      [title, "median", "range", "goal", ""],
      figures.map(({ label, median, range, goal, verdict }) => [label, median, range, goal, verdict]),
      print,
    );
}

/** Every goal of every benchmark, and what came of it. */
export function printSummary(all: readonly Figures[], print: (line: string) => void): void {
  const rows = all.flatMap(({ name, tables, failed }) =>
    failed !== undefined
      ? [[`${name}: did not finish`, "", "", "", "MISSED"]]
      : tables.flatMap(({ title, figures }) =>
          figures
            .filter(({ goal }) => goal !== "")
            .map(({ label, median, range, goal, verdict }) => [
              `${name}: ${title}: ${label.trim()}`,
              goal,
              median,
              range,
              verdict,
            ]),
        ),
  );
  printTable(["goals", "goal", "median", "range", ""], rows, print);
}
