import { Executor, Registry, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { type FindToolsOptions, findToolsTool } from "./find-tools.ts";

function named(name: string) {
  return tool({ name, description: "Does it", input: { type: "object" }, execute: () => "ok" });
}

async function find(registry: Registry, query: string, options?: FindToolsOptions): Promise<string> {
  const executor = new Executor({ tools: [findToolsTool(registry, options)] });
  const result = await executor.call({ id: "1", name: "find_tools", arguments: { query } });
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

test("a search that finds nothing tells what providers there are", async () => {
  const registry = new Registry();
  for (const name of ["turn_on", "turn_off", "dim", "blink", "fade"])
    registry.add(named(name), { provider: "lights" });
  for (const name of ["buy", "sell"]) registry.add(named(name), { provider: "shop" });
  expect(await find(registry, "xyzzy")).toBe(
    [
      "No tool fits these words. There are 7 tools; search again with words of the group that you need:",
      "- lights (5): blink, dim, fade, turn_off, …",
      "- shop (2): buy, sell",
    ].join("\n"),
  );
});

test("without providers the groups are the words that names share, not what is done", async () => {
  const names =
    "create_event list_events move_event read_file write_file acme_pay acme_bill list_lamps reboot".split(
      " ",
    );
  expect(await find(new Registry(names.map(named)), "xyzzy")).toBe(
    [
      "No tool fits these words. There are 9 tools; search again with words of the group that you need:",
      "- event (3): create_event, list_events, move_event",
      "- acme (2): acme_bill, acme_pay",
      "- file (2): read_file, write_file",
      "- others (2): list_lamps, reboot",
    ].join("\n"),
  );
});

test("ten thousand tools make a short list of groups, and none that may not be shown", async () => {
  const letters = [..."abcdefghij"];
  const groups = letters.flatMap((first) => letters.map((second) => `x${first}${second}`));
  const registry = new Registry(
    groups.flatMap((group) => Array.from({ length: 100 }, (_, index) => named(`${group}_${index}`))),
  );
  const text = await find(registry, "xyzzy", { shows: ({ name }) => !name.startsWith("xa") });
  const lines = text.split("\n");
  expect(lines[0]).toContain("There are 9000 tools");
  expect(lines[1]).toBe("- xba (100): xba_0, xba_1, xba_10, xba_11, …");
  expect(lines.at(-1)).toBe("- and 70 smaller groups");
  expect(lines).toHaveLength(22);
});

test("where there is nothing to find it says so", async () => {
  expect(await find(new Registry(), "xyzzy")).toBe("No tool fits, and there are no others.");
});

test("searches by meaning with an embedder", async () => {
  const embed = async (texts: string[]) => texts.map((text) => (/taxi|cab/.test(text) ? [1, 0] : [0, 1]));
  const registry = new Registry([named("order_taxi"), named("reboot")]);
  expect(await find(registry, "cab", { embed, count: 1 })).toContain("order_taxi");
});

test("what was found is told as the caller declares it", async () => {
  const registry = new Registry([named("turn_on"), named("sell")]);
  const declare: FindToolsOptions["declare"] = (definitions) =>
    definitions.map(({ name }) => `${name}()`).join();
  expect(await find(registry, "turn", { declare })).toBe("turn_on()");
});
