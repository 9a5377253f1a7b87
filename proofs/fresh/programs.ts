import { readFileSync } from "node:fs";
import { join } from "node:path";
import { blocksIn, PEERS_PAGES, sideOf, snippetsOf } from "../../docs/snippets.ts";
import type { Reply } from "../../packages/agent/test/wire/server.ts";

/** A program that people read, and what the model answers that it asks. */
export interface Program {
  title: string;
  folder: string;
  code: string;
  output: string | undefined;
  replies: readonly Reply[];
}

const HELLO: readonly Reply[] = Array.from({ length: 5 }, () => ({ text: "Hello!" }));
const WEATHER: readonly Reply[] = [
  { calls: [{ id: "c1", name: "get_weather", arguments: '{"city":"Oslo"}' }] },
  { text: "It rains in Oslo." },
];
/** Pages that show the change which puts a rig beneath a program, to be run before and after it. */
const CHANGES = ["docs/beneath/ai-sdk.md", "docs/beneath/by-hand.md", ...PEERS_PAGES];

/** Every snippet of the pages and the sources' examples, those included that need a framework. */
export function programsOf(root: string): Program[] {
  const read = (page: string) => readFileSync(join(root, page), "utf8");
  const plain = snippetsOf(root).map((snippet) => ({ ...snippet, replies: HELLO }));
  const framed = PEERS_PAGES.flatMap((page) =>
    blocksIn(read(page)).map((block, at) => ({ title: `${page} #${at + 1}`, ...block, replies: WEATHER })),
  );
  const changed = CHANGES.flatMap((page) =>
    (["-", "+"] as const).map((sign) => {
      const title = `${page} ${sign === "-" ? "before" : "after"}`;
      return { title, ...sideOf(read(page), sign), replies: WEATHER };
    }),
  );
  return [...plain, ...framed, ...changed].map((program, at) => ({
    ...program,
    folder: `${at}-${program.title.replaceAll(/\W+/g, "-")}`,
  }));
}
