import type { CallRecord } from "@toolrig/core";

/** When the first recorded call began, in epoch milliseconds. */
export const START = 1_790_000_000_000;

export const TOOLS: readonly string[] = Array.from({ length: 40 }, (_, index) => `use_tool_${index}`);

const SYLLABLES = [
  "ba",
  "con",
  "dre",
  "fil",
  "gam",
  "ket",
  "lor",
  "min",
  "nex",
  "per",
  "rud",
  "sol",
  "tra",
  "ven",
];

/** A vocabulary in which, as in a language, a few words make up most of a text. */
const WORDS: readonly string[] = Array.from({ length: 2_000 }, (_, index) =>
  [index % 14, Math.floor(index / 14) % 14, Math.floor(index / 196)].map((part) => SYLLABLES[part]!).join(""),
);

/** A record of about the size of a real one: a query, its answer, sometimes a failure or a changed file. */
export function recordOf(index: number): CallRecord {
  const executionId = `exec_5f2c9a7b1d.${index.toString(36).padStart(8, "0")}`;
  const callId = `call_${index}`;
  const name = TOOLS[index % TOOLS.length]!;
  const query = `${words(index, 3)} number${index}`;
  const startTime = START + index * 10;
  const failed = index % 20 === 0;
  return {
    executionId,
    callId,
    name,
    runId: `run_${Math.floor(index / 200)}`,
    requestId: `req_${Math.floor(index / 400)}`,
    version: "1.2.0",
    source: "model",
    rawArguments: JSON.stringify({ query, limit: index % 50 }),
    args: { query, limit: index % 50 },
    result: {
      callId,
      executionId,
      name,
      isError: failed,
      content: [{ type: "text", text: words(index * 7, 30) }],
      ...(failed && {
        failure: {
          kind: "transient",
          code: "TOOL_TRANSIENT",
          message: "the connection was reset",
          retryable: true,
        },
      }),
      ...(index % 10 === 0 && {
        effects: [{ type: "file", path: `/srv/app/${index % 1_000}/${index}.txt`, op: "write" }],
      }),
      decoded: { mode: "strict", repairs: [] },
      attempts: 1,
      durationMs: 12.5,
    },
    verdicts: [],
    definitionHash: "496957d512c754c79a59c619452a332de72bc220a5f8fc146f176e4406715a0f",
    startTime,
    endTime: startTime + 13,
    durationMs: 13,
    timing: { prepareMs: 0.125, waitMs: 0.25, runMs: 12.5, settleMs: 0.125 },
  };
}

function words(seed: number, count: number): string {
  const chosen: string[] = [];
  for (let index = 0; index < count; index++) {
    const roll = (((seed + index) * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;
    chosen.push(WORDS[Math.floor(roll ** 3 * WORDS.length)]!);
  }
  return chosen.join(" ");
}
