import { expect, test } from "vitest";
import { ToolrigError } from "../failure/failure.ts";
import { type JournalEntry, MemoryJournal, type RunHeader } from "./journal.ts";

const header: RunHeader = { runId: "r1", kind: "loop", startedAt: 1, input: "hello" };
const message = (turn: number): JournalEntry => ({
  type: "message",
  turn,
  message: { text: `turn ${turn}` },
});

test("a run's entries come back in the order of appending", async () => {
  const journal = new MemoryJournal();
  await journal.begin(header);
  await journal.append("r1", [message(1), message(2)]);
  await journal.append("r1", [message(3)]);
  expect(await journal.entries("r1")).toEqual([message(1), message(2), message(3)]);
  expect(await journal.header("r1")).toEqual(header);
});

test("an unknown run is empty, and a run begins once and before its entries", async () => {
  const journal = new MemoryJournal();
  expect(await journal.entries("r1")).toEqual([]);
  expect(await journal.header("r1")).toBeUndefined();
  expect(() => journal.append("r1", [message(1)])).toThrow(ToolrigError);
  await journal.begin(header);
  expect(() => journal.begin(header)).toThrow(/r1 is in the journal already/);
});
