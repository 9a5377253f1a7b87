import { expect, test } from "vitest";
import { nearestNames } from "./nearest.ts";

const NAMES = ["read_file", "write_file", "search_docs", "get_weather", "run_tests"];

test.each([
  ["raed_file", ["read_file"]],
  ["ReadFile", ["read_file"]],
  ["weather", ["get_weather"]],
  ["file", ["read_file", "write_file"]],
  ["teleport", []],
])("%s is near %j", (wrong, expected) => {
  expect(nearestNames(wrong, NAMES)).toEqual(expected);
});

test("gives at most as many as asked for, best first", () => {
  const names = ["note_1", "note_2", "note_3", "note"];
  expect(nearestNames("note_1", names, 2)).toEqual(["note_1", "note_2"]);
});

test("of two names that contain the wrong one, the shorter is meant", () => {
  expect(nearestNames("tool", ["dynamicTools", "tools"])[0]).toBe("tools");
});
