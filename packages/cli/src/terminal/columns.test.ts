import { expect, test } from "vitest";
import { columnsFor } from "./columns.ts";
import { wrap } from "./wrap.ts";

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

test("text is broken between words, keeps its indentation, and long words stay whole", () => {
  expect(wrap("  a few words", 8)).toEqual(["  a few", "  words"]);
  expect(wrap("see https://example.com/a/b for more", 10)).toEqual([
    "see",
    "https://example.com/a/b",
    "for more",
  ]);
  expect(wrap("", 10)).toEqual([""]);
});
