import type { ToolDefinition } from "@toolrig/core";
import type { Finding } from "./finding.ts";
import { wordsIn } from "./words.ts";

/** Words that tell no two tools apart. */
const COMMON: ReadonlySet<string> = new Set(
  "a an the of to in on for and or by with from is are be this that it its as at".split(" "),
);
/** How many of all words of two tools are in both, from which on a model will take one for the other. */
const ALIKE = 0.7;
const MAX_PAIRS = 100;

interface Worded {
  name: string;
  ofName: string;
  words: ReadonlySet<string>;
}

/** Pairs of tools that are told in the same words, or whose names differ only in how they are written. */
export function likenessOf(definitions: readonly ToolDefinition[]): Finding[] {
  const all = definitions.map(worded);
  const findings: Finding[] = [];
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      if (findings.length >= MAX_PAIRS) return findings;
      const why = likeness(one, other);
      if (why === undefined) continue;
      const message = `It is hard to tell from ${other.name}: ${why}. Say in both when to call which.`;
      findings.push({ tool: one.name, rule: "ambiguous-pair", level: "warning", message });
    }
  }
  return findings;
}

function worded({ name, description, inputSchema }: ToolDefinition): Worded {
  const parameters = Object.keys((inputSchema.properties as object | undefined) ?? {});
  const words = [name, description, ...parameters].flatMap(wordsIn).filter((word) => !COMMON.has(word));
  return { name, ofName: wordsIn(name).sort().join(" "), words: new Set(words) };
}

function likeness(one: Worded, other: Worded): string | undefined {
  if (one.name === other.name) return undefined;
  if (one.ofName === other.ofName) return "their names are the same words";
  let common = 0;
  for (const word of one.words) if (other.words.has(word)) common += 1;
  const share = common / (one.words.size + other.words.size - common);
  return share >= ALIKE ? `${Math.round(share * 100)} % of their words are the same` : undefined;
}
