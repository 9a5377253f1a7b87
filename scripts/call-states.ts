/** Draws the states of a call from the table of transitions. `node scripts/call-states.ts` writes it into docs/architecture.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TRANSITIONS } from "../packages/core/src/call/call-state.ts";

export const PAGE = join(import.meta.dirname, "../docs/architecture.md");
const BEGIN = "<!-- call states: written by scripts/call-states.ts -->";
const END = "<!-- end of call states -->";

/** The diagram as the page has it. "broken" is reached from every state, by transitions that are not here. */
export function diagram(): string {
  const lines = Object.entries(TRANSITIONS).flatMap(([from, all]) => [
    ...all.filter((to) => to !== from).map((to) => `  ${from} --> ${to}`),
    ...(all.length === 0 && from !== "broken" ? [`  ${from} --> [*]`] : []),
  ]);
  return ["```mermaid", "stateDiagram-v2", "  [*] --> preparing", ...lines, "```"].join("\n");
}

/** The diagram in a page. */
export function drawnIn(page: string): string {
  const { drawn } = partsOf(page);
  return drawn.trim();
}

function partsOf(page: string): { before: string; drawn: string; after: string } {
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  return { before: page.slice(0, from), drawn: page.slice(from, to), after: page.slice(to) };
}

if (process.argv[1] === import.meta.filename) {
  const { before, after } = partsOf(readFileSync(PAGE, "utf8"));
  writeFileSync(PAGE, `${before}\n${diagram()}\n${after}`);
}
