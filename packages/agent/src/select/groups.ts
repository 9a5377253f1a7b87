import type { AnyTool, ToolSource } from "@toolrig/core";
import { stem, wordsOf } from "./tokens.ts";

const MAX_GROUPS = 20;
const MAX_NAMES = 4;

/** First words of names that say what is done, not with what. */
const VERBS = new Set(
  "add apply cancel check create delete find get list make open read remove run search send set show start stop update write"
    .split(" ")
    .map(stem),
);

/** What a model that has found nothing is told: which groups of tools there are, by provider or by a word of their names. */
export function groupsText(source: ToolSource, shows: (tool: AnyTool) => boolean): string {
  const names = new Map<string, AnyTool>();
  for (const tool of source.tools()) {
    if (!names.has(tool.name) && tool.available() === true && shows(tool)) names.set(tool.name, tool);
  }
  const tools = [...names.values()];
  if (tools.length === 0) return "No tool fits, and there are no others.";
  const groups = [...groupsOf(source, tools)].sort(
    ([a, { length: many }], [b, { length: more }]) => more - many || (a < b ? -1 : 1),
  );
  const lines = groups.slice(0, MAX_GROUPS).map(([group, members]) => {
    const more = members.length > MAX_NAMES ? ", …" : "";
    return `- ${group} (${members.length}): ${members.slice(0, MAX_NAMES).join(", ")}${more}`;
  });
  if (groups.length > MAX_GROUPS) lines.push(`- and ${groups.length - MAX_GROUPS} smaller groups`);
  return [
    `No tool fits these words. There are ${tools.length} tools; search again with words of the group that you need:`,
    ...lines,
  ].join("\n");
}

/** Names of tools by group. Every tool is in one: its provider's if there are several, else that of a word it shares. */
function groupsOf(source: ToolSource, tools: readonly AnyTool[]): Map<string, string[]> {
  const providers = new Set(tools.map((tool) => source.providerOf?.(tool)));
  const byWord = sharedWords(tools);
  const groups = new Map<string, string[]>();
  for (const tool of tools) {
    const provider = providers.size > 1 ? source.providerOf?.(tool) : undefined;
    const group = provider ?? byWord(tool.name) ?? "others";
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [tool.name]);
    else members.push(tool.name);
  }
  return groups;
}

/** For a name the word that it shares with most others, if any: not one of nearly all, and not what is done. */
function sharedWords(tools: readonly AnyTool[]): (name: string) => string | undefined {
  const counts = new Map<string, { word: string; count: number }>();
  for (const { name } of tools) {
    for (const [root, word] of nounsOf(name)) {
      const known = counts.get(root);
      if (known === undefined) counts.set(root, { word, count: 1 });
      else known.count += 1;
    }
  }
  const most = Math.max(2, tools.length * 0.6);
  return (name) => {
    let best: { word: string; count: number } | undefined;
    for (const root of nounsOf(name).keys()) {
      const known = counts.get(root);
      if (known === undefined || known.count < 2 || known.count > most) continue;
      if (best === undefined || known.count > best.count) best = known;
    }
    return best?.word;
  };
}

/** The words of a name but numbers and what is done, by their stems. */
function nounsOf(name: string): Map<string, string> {
  const nouns = new Map<string, string>();
  for (const word of wordsOf(name)) {
    const root = stem(word);
    if (!VERBS.has(root) && !/^\p{N}/u.test(word)) nouns.set(root, word);
  }
  return nouns;
}
