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

test("a guard says what a result holds by its verdict; guards after it see that, and nobody is told twice", async () => {
  const seen: unknown[] = [];
  const labels = { integrity: "trusted", confidentiality: "private", source: "vault" } as const;
  expect(
    await labelsAfter(
      guard("first", { verdict: "label", labels }, seen),
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
