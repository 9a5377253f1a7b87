/** How often the right tool is among the first, by how far a request is from the words of the tool. */
import type { AnyTool } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { selectTools } from "../src/index.ts";
import { tokensOf } from "../src/select/tokens.ts";
import { domainTools } from "./selection/domains.ts";
import { KINDS, type Kind } from "./selection/kinds.ts";

const registry = domainTools();
const kinds = Object.keys(KINDS) as Kind[];

/** Of the queries of a kind, how many find their tool among the first `count`. */
function found(kind: Kind, count: number): number {
  return KINDS[kind].filter(([query, name]) =>
    selectTools(registry, query, count).some((each) => each.name === name),
  ).length;
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

describe("by words alone", () => {
  test.each<[Kind, number, number]>([
    ["words", 39, 39],
    ["none", 1, 1],
    ["typos", 14, 14],
    ["indirect", 2, 2],
  ])("finds what it should of the kind %s", (kind, atFive, atTen) => {
    const [five, ten] = [found(kind, 5), found(kind, 10)];
    console.log(`${kind}: ${five} at 5 and ${ten} at 10 of ${KINDS[kind].length}`);
    expect(five).toBeGreaterThanOrEqual(atFive);
    expect(ten).toBeGreaterThanOrEqual(atTen);
  });
});
