import { expect, test } from "vitest";
import { commands } from "../commands/commands.ts";
import { allCommands } from "../shell/find-command.ts";
import { helpFor } from "../shell/help-text.ts";
import { idCell, timeCell } from "./cell.ts";
import { columnsFor } from "./columns.ts";
import { eventLines } from "./event-text.ts";
import { hang, wrap } from "./wrap.ts";

const written = (room: number) => rows.map(columnsFor(rows, room));
const rows = [
  ["EXECUTION", "TOOL", "REASONS"],
  ["exec_1", "send_mail", "mail leaves the house and cannot be taken back"],
];

test("columns stand beside each other where there is room", () => {
  expect(written(80)).toEqual([
    "EXECUTION  TOOL       REASONS",
    "exec_1     send_mail  mail leaves the house and cannot be taken back",
  ]);
});

test("the last column is wrapped under itself", () => {
  expect(written(50)).toEqual([
    "EXECUTION  TOOL       REASONS",
    "exec_1     send_mail  mail leaves the house and\n                      cannot be taken back",
  ]);
});

test("what does not fit goes on below, and nothing is cut off", () => {
  expect(written(30)).toEqual([
    "EXECUTION  TOOL\n  REASONS",
    "exec_1     send_mail\n  mail leaves the house and\n  cannot be taken back",
  ]);
});

test("a last column may be cut off, and what is twice as wide counts twice", () => {
  const wide = [
    ["TOOL", "CALL"],
    ["weather", '{"city":"大阪の天気予報"} → fine'],
    ["日本", "🎉 done"],
  ];
  expect(wide.map(columnsFor(wide, 33, true))).toEqual([
    "TOOL     CALL",
    'weather  {"city":"大阪の天気予報…',
    "日本     🎉 done",
  ]);
});

test("people see short ids and their own time, programs all of it", () => {
  expect(idCell("exec_86dcfd82659047a8c8f4.0000000a")).toEqual({
    whole: "exec_86dcfd82659047a8c8f4.0000000a",
    short: "86dcfd.a",
  });
  expect(idCell("order-7").short).toBe("order-7");
  expect(timeCell(Date.now()).short).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(timeCell(0)).toEqual({
    whole: "1970-01-01T00:00:00.000Z",
    short: expect.stringMatching(/^19(69|70)-/),
  });
});

test("text is broken between words, keeps its indentation, and long words stay whole", () => {
  expect(wrap("  a few words", 8)).toEqual(["  a few", "  words"]);
  expect(wrap("see https://example.com/a/b for more", 10)).toEqual([
    "see",
    "https://example.com/a/b",
    "for more",
  ]);
  expect(wrap("", 10)).toEqual([""]);
});

test("what stands behind a head goes on below where it began", () => {
  expect(hang(6, "tools: seven are registered and one of them is not available", 40)).toBe(
    "tools: seven are registered and\n      one of them is not available",
  );
  expect(hang(6, "one\ntwo", Number.POSITIVE_INFINITY)).toBe("one\n      two");
});

const event = {
  label: "ok",
  text: "a page that says a great deal about otters, their habits and what they had for lunch",
  tone: "plain",
} as const;

test.each([60, 80])("an event is broken between words at %i columns, also within a tree", (room) => {
  const lines = eventLines(12, event, "stdout", room);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(room);
  expect(lines.map((line) => line.slice(20)).join(" ")).toBe(event.text);
});

test("no command's help is wider than 80 columns, but for examples to copy", async () => {
  for (const each of await allCommands(commands)) {
    const [shown = ""] = helpFor(each).split("\nExamples:");
    for (const line of shown.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  }
});
