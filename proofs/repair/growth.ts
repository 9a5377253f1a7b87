import { decode } from "@toolrig/json";
import type { Check } from "./check.ts";

/** Most that the time may grow by when a text gets twice as long. */
const GROWTH = 2.3;

const repeat = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length));

/** Broken texts that invite looking at the same characters again and again. */
const FAMILIES: Record<string, (length: number) => string> = {
  "missing commas": (n) => `{"a": [${repeat('{"id": 1 "name": "x"} ')(n)}]}`,
  "unescaped quotes": (n) => `{"a": "${repeat('he said "x", ok ')(n)}"}`,
  "alternating quotes": (n) => `[${repeat("\"'")(n)}`,
  "quotes that never end": (n) => `{"a": "x, ${repeat('b: "y, ')(n)}}`,
  "nested JSON in strings": (n) => `[${repeat('"{"a')(n)}`,
  "open brackets": repeat('[{"a":'),
  "wrong brackets": (n) => `{${repeat("]}")(n)}`,
  fences: repeat("```json\n{x\n```\n"),
  "braces in prose": repeat("see {this} and [that] "),
  "documents in prose": repeat('x {} [1] {"a":1}\n'),
  backslashes: (n) => `{"a": "${repeat("\\")(n)}`,
  "escaped quotes": (n) => `[${repeat('\\"a')(n)}`,
  comments: (n) => `[${repeat("1 // ] ")(n)}`,
  "white space after quotes": (n) => `["a"${repeat('" ')(n)}`,
  "line breaks in strings": (n) => `{"a": "${repeat("\n b: ")(n)}}`,
  words: (n) => `{a: ${repeat("word, ")(n)}}`,
  colons: (n) => `{"${repeat('a:"')(n)}`,
};

const LENGTH = 200_000;
const ROUNDS = 5;
/** How long a measurement of the shorter text goes on, so that the processor's clock, which is coarse, can tell. */
const MEASURED_MS = 100;

/** The median of several ratios counts, since other work on the machine disturbs single ones. */
export function proveGrowth(check: Check): void {
  for (const [name, make] of Object.entries(FAMILIES)) {
    const [once, twice] = [make(LENGTH), make(2 * LENGTH)];
    const repetitions = repetitionsFor(once);
    const ratios = Array.from(
      { length: ROUNDS },
      () => timeOf(twice, repetitions) / timeOf(once, repetitions),
    );
    const growth = ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
    check(`twice as many ${name}`, growth <= GROWTH, `${growth.toFixed(2)} times as long (goal ${GROWTH})`);
  }
}

function repetitionsFor(text: string): number {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < MEASURED_MS) {
    decode(text);
    count++;
  }
  return count;
}

/** Processor time, which does not count waiting for a processor. */
function timeOf(text: string, repetitions: number): number {
  const start = process.threadCpuUsage();
  for (let i = 0; i < repetitions; i++) decode(text);
  const { user, system } = process.threadCpuUsage(start);
  return user + system;
}
