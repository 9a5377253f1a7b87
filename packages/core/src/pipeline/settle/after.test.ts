import { expect, test } from "vitest";
import { type AfterVerdict, Executor, type Guard, result, tool } from "../../index.ts";

const read = tool({
  name: "read",
  description: "Reads a page",
  input: { type: "object" },
  safety: { sideEffects: "read" },
  execute: () => result({ value: "text", labels: { integrity: "untrusted", source: "web" } }),
});

function guard(name: string, verdict: AfterVerdict, seen: unknown[] = []): Guard {
  return {
    name,
    after({ result: { labels } }) {
      seen.push(labels);
      return verdict;
    },
  };
}

async function labelsAfter(...guards: Guard[]) {
  const verdicts: string[] = [];
  const executor = new Executor({ tools: [read], guards });
  executor.events.on("call.verdict", (event) => verdicts.push(event.verdict));
  const { labels } = await executor.call({ id: "c", name: "read" });
  return { labels, verdicts };
}

test("a guard adds to what a result holds by its verdict; guards after it see that, and nobody is told twice", async () => {
  const seen: unknown[] = [];
  const given = { integrity: "trusted", confidentiality: "private", source: "vault" } as const;
  const labels = { integrity: "untrusted", confidentiality: "private", source: "vault, web" };
  expect(
    await labelsAfter(
      guard("first", { verdict: "label", labels: given }, seen),
      guard("second", { verdict: "allow" }, seen),
    ),
  ).toEqual({ labels, verdicts: ["allow"] });
  expect(seen).toEqual([{ integrity: "untrusted", source: "web" }, labels]);
});

test("labels of a rewritten result are the more careful of both", async () => {
  const change = { content: "shorter", labels: { confidentiality: "private", source: "vault" } } as const;
  expect((await labelsAfter(guard("rewriter", { verdict: "rewrite", result: change }))).labels).toEqual({
    integrity: "untrusted",
    confidentiality: "private",
    source: "web, vault",
  });
});

test("no guard takes away the care of the tool or of another guard", async () => {
  const careless = guard("careless", { verdict: "label", labels: { integrity: "trusted" } });
  const hasty = guard("hasty", { verdict: "label", labels: { confidentiality: "public" } });
  const careful = guard("careful", { verdict: "label", labels: { confidentiality: "private" } });
  for (const guards of [
    [careless, careful, hasty],
    [careful, hasty, careless],
  ])
    expect((await labelsAfter(...guards)).labels).toMatchObject({
      integrity: "untrusted",
      confidentiality: "private",
    });
});

test("labels that a guard gave stay with a result that another one withholds", async () => {
  const { labels } = await labelsAfter(
    guard("first", { verdict: "label", labels: { confidentiality: "private" } }),
    guard("second", { verdict: "deny", reason: "no" }),
  );
  expect(labels).toMatchObject({ confidentiality: "private" });
});

test.each([undefined, "private", { integrity: "bad" }, []])(
  "labels that are none withhold the result: %j",
  async (labels) => {
    const executor = new Executor({
      tools: [read],
      guards: [guard("odd", { verdict: "label", labels } as never)],
    });
    expect((await executor.call({ id: "c", name: "read" })).failure?.code).toBe("TOOL_BLOCKED");
  },
);

test("labels of a tool that cannot be read count as the most careful ones", async () => {
  const odd = tool({
    name: "odd",
    description: "Misspells",
    input: { type: "object" },
    execute: () => result({ value: 1, labels: { integrity: "Untrusted" } as never }),
  });
  const { labels } = await new Executor({ tools: [odd] }).call({ id: "c", name: "odd" });
  expect(labels).toEqual({ integrity: "untrusted", confidentiality: "private" });
});

test("a guard that hears last is shown what all others have said, wherever it stands", async () => {
  const seen: unknown[] = [];
  const last = { ...guard("last", { verdict: "allow" }, seen), hearsLast: true };
  const careful = guard("careful", { verdict: "label", labels: { confidentiality: "private" } });
  const { labels } = await labelsAfter(last, careful);
  expect(labels).toMatchObject({ confidentiality: "private" });
  expect(seen).toEqual([labels]);
  expect(() => new Executor({ guards: [{ name: "odd", hearsLast: 1 as never }] })).toThrow(/hearsLast/);
});
