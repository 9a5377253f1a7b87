/** How often the right tool is among the first, by how far a request is from the words of the tool. */
import { type AnyTool, Registry } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { selectTools } from "../src/index.ts";
import { tokensOf } from "../src/select/tokens.ts";
import { domainTools } from "./selection/domains.ts";
import { KINDS, type Kind } from "./selection/kinds.ts";
import { localEmbedder } from "./selection/local-embedder.ts";
import { HARD_QUERIES } from "./selection/queries.ts";
import { manyTools } from "./selection/tools.ts";

const registry = domainTools();
const kinds = Object.keys(KINDS) as Kind[];

type Select = (query: string, count: number) => AnyTool[] | Promise<AnyTool[]>;

const byWords: Select = (query, count) => selectTools(registry, query, count);
const byMeaning: Select = (query, count) =>
  selectTools(registry, query, count, { embed: localEmbedder, embedTimeout: "1m" });

/** Of the queries of a kind, how many find their tool among the first `count`. */
async function found(select: Select, kind: Kind, count: number): Promise<number> {
  let hits = 0;
  for (const [query, name] of KINDS[kind]) {
    if ((await select(query, count)).some((each) => each.name === name)) hits += 1;
  }
  return hits;
}

function wordsOf({ name, definition: { description, inputSchema } }: AnyTool): Set<string> {
  return new Set(tokensOf([name, description, ...Object.keys(inputSchema.properties ?? {})].join(" ")));
}

test("there are 100 queries of four kinds over 200 tools, and the kinds are what they say", () => {
  expect(registry.tools()).toHaveLength(200);
  expect(kinds.map((kind) => KINDS[kind].length)).toEqual([40, 30, 15, 15]);
  for (const kind of kinds) {
    for (const [query, name] of KINDS[kind]) {
      const tool = registry.get(name);
      const words = tool === undefined ? undefined : wordsOf(tool);
      expect(words, name).toBeDefined();
      const shared = tokensOf(query).filter((token) => words?.has(token));
      if (kind === "words") expect(shared, query).not.toEqual([]);
      if (kind === "none" || kind === "typos") expect(shared, query).toEqual([]);
    }
  }
});

describe.each<[string, Select, [Kind, number, number][]]>([
  [
    "by words alone",
    byWords,
    [
      ["words", 39, 39],
      ["none", 1, 1],
      ["typos", 14, 14],
      ["indirect", 2, 2],
    ],
  ],
  [
    "with an embedder",
    byMeaning,
    [
      ["words", 39, 39],
      ["none", 22, 26],
      ["typos", 14, 14],
      ["indirect", 7, 11],
    ],
  ],
])("%s", (_, select, thresholds) => {
  test.each(thresholds)("finds what it should of the kind %s", async (kind, atFive, atTen) => {
    const five = await found(select, kind, 5);
    const ten = await found(select, kind, 10);
    console.log(`${kind}: ${five} at 5 and ${ten} at 10 of ${KINDS[kind].length}`);
    expect(five).toBeGreaterThanOrEqual(atFive);
    expect(ten).toBeGreaterThanOrEqual(atTen);
  });
});

test("an embedder that knows little of the words of a request does not make it worse", async () => {
  const many = new Registry(manyTools());
  let [words, meaning] = [0, 0];
  for (const [query, name] of HARD_QUERIES) {
    const options = { embed: localEmbedder, embedTimeout: "1m" } as const;
    if (selectTools(many, query, 5).some((each) => each.name === name)) words += 1;
    if ((await selectTools(many, query, 5, options)).some((each) => each.name === name)) meaning += 1;
  }
  console.log(`of ${HARD_QUERIES.length}: ${words} by words, ${meaning} with an embedder`);
  expect(meaning).toBeGreaterThanOrEqual(words);
});
