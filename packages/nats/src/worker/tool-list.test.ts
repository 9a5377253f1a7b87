import { expect, test } from "vitest";
import { toolList } from "./tool-list.ts";

const tools = Array.from({ length: 50 }, (_, index) => ({
  name: `tool_${index}`,
  versions: ["1.0.0"],
  description: "Wörter ".repeat(50),
  provider: "local",
  available: true,
  workers: 1,
}));

test.each([
  { most: 1_000_000, listed: 50, described: true, more: undefined },
  { most: 10_000, listed: 50, described: false, more: undefined },
  { most: 1_000, listed: 9, described: false, more: 41 },
  { most: 60, listed: 0, described: false, more: 50 },
])("a list of tools fits into $most bytes", ({ most, listed, described, more }) => {
  const text = toolList(tools, most);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
  const list = JSON.parse(text) as { tools: typeof tools; more?: number };
  expect(list.tools).toHaveLength(listed);
  expect(list.more).toBe(more);
  expect(list.tools.some(({ description }) => description !== "")).toBe(described);
});
