import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

test.each([
  [250, 250],
  ["250ms", 250],
  ["10s", 10_000],
  ["1.5m", 90_000],
  [" 2 h ", 7_200_000],
  ["1d", 86_400_000],
  ["1m30s", 90_000],
  ["2h0m0s", 7_200_000],
  ["1s500ms", 1_500],
  ["1h 30m", 5_400_000],
  [0, 0],
])("%s is %d milliseconds", (given, ms) => {
  expect(parseDuration(given, "timeout")).toBe(ms);
});

test.each([
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "",
  "10",
  "s",
  "-5s",
  "1e3s",
  "10 seconds",
  " ",
  "30s1m",
  "5m5m",
  "1m30",
  `${"9".repeat(400)}s`,
  null,
  {},
])("%o is refused, naming the field", (given) => {
  expect(() => parseDuration(given as never, "timeout")).toThrow(/^timeout must be a duration/);
});

test("durations are shown in the largest unit that fits", () => {
  expect([80.4, 999, 1_000, 1_540, 60_000, 5_400_000].map(formatDuration)).toEqual([
    "80ms",
    "999ms",
    "1s",
    "1.5s",
    "1m",
    "1.5h",
  ]);
});
