import { isDeepStrictEqual } from "node:util";
import type { FieldRow, FieldTable, Seen } from "./field-row.ts";

/** What became of a row: the parts of what was seen in which the two runs differ, or the error that ended it. */
export interface FieldVerdict {
  peer: string;
  shows: string;
  differs: readonly string[];
}

/** Makes each run twice, alone and beneath Toolrig, and lists the fields of the tables that no run shows. */
export async function provedFields<Tools>(table: FieldTable<Tools>): Promise<FieldVerdict[]> {
  const { peer, rows } = table;
  const verdicts: FieldVerdict[] = [];
  for (const row of rows) verdicts.push(await verdictOn(table, row));
  const shown = new Set(rows.flatMap(({ shows }) => shows));
  for (const [name, fields] of Object.entries(table.fields))
    for (const [field, [fate]] of Object.entries(fields))
      if ((fate === "carried" || fate === "run") && !shown.has(`${name}.${field}`))
        verdicts.push({ peer, shows: `${name}.${field}`, differs: ["no run shows it"] });
  return verdicts;
}

async function verdictOn<Tools>(
  { peer, beneath }: FieldTable<Tools>,
  row: FieldRow<Tools>,
): Promise<FieldVerdict> {
  const { shows, what } = row;
  const named = { peer, shows: what === undefined ? shows.join(", ") : `${shows.join(", ")}: ${what}` };
  const one = await seen(row, (own) => own);
  const other = await seen(row, beneath);
  const parts = ["tool", "model", "ui", "events", "error"] as const;
  const differs = parts.filter((part) => !isDeepStrictEqual(one[part], other[part]));
  if (differs.length === 0) return { ...named, differs };
  return { ...named, differs: differs.map((part) => difference(one[part], other[part], part)) };
}

/** The first place in which two values differ, and what is there. */
function difference(one: unknown, other: unknown, at: string): string {
  if (typeof one === "object" && typeof other === "object" && one !== null && other !== null) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const [a, b] = [one, other].map((each) => (each as Record<string, unknown>)[key]);
      if (!isDeepStrictEqual(a, b)) return difference(a, b, `${at}.${key}`);
    }
  }
  return `${at}: alone ${shown(one)}, beneath ${shown(other)}`;
}

function shown(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > 300 ? `${text.slice(0, 300)} ...` : text;
}

async function seen<Tools>(
  row: FieldRow<Tools>,
  tools: (own: Tools) => Tools | Promise<Tools>,
): Promise<Partial<Seen> & { error?: string }> {
  try {
    return await row.run(tools);
  } catch (error) {
    return { error: String(error) };
  }
}

/** Prints each row, and where its two runs differ. */
export function printFields(verdicts: readonly FieldVerdict[], print: (line: string) => void): void {
  for (const { peer, shows, differs } of verdicts) {
    print(`${differs.length === 0 ? "same   " : "DIFFERS"} ${peer}  ${shows}`);
    for (const each of differs) print(`          ${each}`);
  }
}
