import { createHash } from "node:crypto";
import { Executor, type FileEffect, result, tool } from "@toolrig/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Store } from "../open-store.ts";
import { diffOf } from "./diff-of.ts";
import { netChanges } from "./file-changes.ts";
import { patchOf } from "./patch.ts";

let store: Store;
beforeEach(() => {
  store = openStore(":memory:");
});
afterEach(() => store.close());

const kept = (text: string) => store.artifacts.put(text);

test("a file that is written twice is one change, from its first content to its last", async () => {
  const [one, two, three] = ["a\nb\n", "a\nB\n", "a\nB\nc\n"].map(kept);
  const changes = netChanges([
    { type: "file", path: "x.txt", op: "write", before: one!, after: two! },
    { type: "file", path: "x.txt", op: "write", before: two!, after: three! },
  ]);
  expect(changes).toMatchObject([{ path: "x.txt", change: "changed" }]);
  expect(await patchOf(changes, store.artifacts)).toBe(
    "--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,3 @@\n a\n-b\n+B\n+c\n",
  );
});

test("content that an effect names by its hash is found", async () => {
  kept("a\n");
  kept("b\n");
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const changes = netChanges([
    { type: "file", path: "x", op: "write", before: hash("a\n"), after: hash("b\n") },
  ]);
  expect(await patchOf(changes, store.artifacts)).toBe("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n");
});

test("what came and went, or came back to what it was, is no change", () => {
  const [one, two] = ["1", "2"].map(kept);
  const effects: FileEffect[] = [
    { type: "file", path: "tmp", op: "create", after: one! },
    { type: "file", path: "tmp", op: "delete", before: one! },
    { type: "file", path: "same", op: "write", before: one!, after: two! },
    { type: "file", path: "same", op: "write", before: two!, after: one! },
  ];
  expect(netChanges(effects)).toEqual([]);
});

test("moves, deletions, folders and content that was not kept are told", async () => {
  const text = kept("text\n");
  const changes = netChanges([
    { type: "file", path: "old", op: "move", to: "new", before: text },
    { type: "file", path: "gone", op: "delete", before: text },
    { type: "file", path: "made", op: "mkdir" },
    { type: "file", path: "big", op: "write", bytesBefore: 5, bytesAfter: 9 },
    { type: "file", path: "lost", op: "write", before: "art_gone", after: text },
  ]);
  const patch = await patchOf(changes, store.artifacts);
  expect(patch).toContain("rename from old\nrename to new\n");
  expect(patch).toContain("--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n");
  expect(patch).toContain("# made: folder created\n");
  expect(patch).toContain("# big: changed; its content was not kept\n");
  expect(patch).toContain("# lost: changed; its content is no longer kept\n");
});

test("a run is told turn by turn and as a whole, with what its tools' tools did", async () => {
  const write = tool({
    name: "write_file",
    description: "Writes",
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    safety: { sideEffects: "write" },
    execute({ text }, context) {
      context.effect({ type: "file", path: "x", op: "write", before: kept("start\n"), after: kept(text) });
      return "ok";
    },
  });
  const outer = tool({
    name: "run_build",
    description: "Runs",
    input: { type: "object" },
    safety: { sideEffects: "write" },
    async execute(_args, context) {
      await context.call("write_file", { text: "built\n" });
      return result({ content: "ok", effects: [{ type: "process", command: "make", exitCode: 0 }] });
    },
  });
  const executor = new Executor({ tools: [write, outer], ledger: store.ledger, store: store.records });
  await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
  const turns = [
    { id: "c0", name: "write_file", arguments: { text: "first\n" } },
    { id: "c1", name: "run_build", arguments: {} },
  ];
  for (const [turn, call] of turns.entries()) {
    const executionId = `exec_${turn}`;
    await store.journal.append("run_1", [{ type: "calls", turn, calls: [{ executionId, call }] }]);
    // As in a run that a call of another one has started.
    const answer = await executor.call(call, { executionId, runId: "run_1", parentId: "exec_of_another" });
    await store.journal.append("run_1", [{ type: "result", turn, result: answer }]);
  }
  await executor.drain();
  const diff = await diffOf(store, "run_1");
  expect(diff.turns.map(({ turn, files, processes }) => [turn, files.length, processes.length])).toEqual([
    [0, 1, 0],
    [1, 1, 1],
  ]);
  expect(diff.processes).toMatchObject([{ command: "make", exitCode: 0 }]);
  expect(await patchOf(diff.files, store.artifacts)).toBe("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-start\n+built\n");
  expect(await diffOf(store, "run_none")).toMatchObject({ files: [], turns: [] });
});
