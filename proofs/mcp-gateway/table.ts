/** The table of the proof, for docs/mcp-gateway.md. With `--write` it is put there. */
import { readFileSync, writeFileSync } from "node:fs";
import { BEHAVIOURS } from "./behaviours.ts";
import { FATES, type Fate, type Kind, TITLES } from "./fates.ts";

const PAGE = new URL("../../docs/mcp-gateway.md", import.meta.url);
const BEGIN = "<!-- the table of npm run prove mcp-gateway: begin -->";
const END = "<!-- end -->";

/** The page with the table as it is now. */
export function withTable(page: string): string {
  const [before, rest = ""] = page.split(BEGIN);
  const [, after = ""] = rest.split(END);
  return `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`;
}

function table(): string {
  const fields = Object.entries(FATES).flatMap(([kind, fates]) => rowsOf(kind as Kind, fates));
  const behaviours = BEHAVIOURS.map(({ name, fate, why }) => `| ${name} | | ${fate} | ${why} |`);
  return ["| of | field | becomes | |", "|---|---|---|---|", ...fields, ...behaviours].join("\n");
}

/** Fields of which the same is said share a row. */
function rowsOf(kind: Kind, fates: Readonly<Record<string, Fate>>): string[] {
  const alike = Map.groupBy(Object.entries(fates), ([, fate]) => fate.join("\n"));
  return [...alike.values()].map((fields) => {
    const [[, [fate, why = ""]] = ["", ["carried"] as Fate]] = fields;
    return `| ${TITLES[kind]} | ${fields.map(([field]) => `\`${field}\``).join(", ")} | ${fate} | ${why} |`;
  });
}

if (import.meta.main && process.argv.includes("--write"))
  writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8")));
