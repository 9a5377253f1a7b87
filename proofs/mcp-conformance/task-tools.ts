import { setTimeout as delay } from "node:timers/promises";
import { deferred, failure, tool } from "@toolrig/core";

/** Tools that take their time, as the suite's scenarios of the tasks extension call them. */
const READS = { sideEffects: "read", idempotent: true } as const;
const NAME = { type: "object", properties: { name: { type: "string" } } } as const;
const CONFIRM = { type: "object", properties: { confirm: { type: "boolean" } } } as const;
const SOON_MS = 10;

export const taskTools = [
  tool({
    name: "greet",
    description: "Greet somebody",
    input: NAME,
    safety: READS,
    execute: ({ name }) => `Hello, ${name}!`,
  }),
  tool({
    name: "slow_compute",
    description: "Compute for some seconds",
    input: { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
    safety: READS,
    background: SOON_MS,
    async execute({ seconds = 1, label }, { signal }) {
      await delay((seconds as number) * 1_000, undefined, { signal });
      return `computed ${label}`;
    },
  }),
  tool({
    name: "failing_job",
    description: "Fail after a second",
    input: { type: "object" },
    safety: READS,
    background: SOON_MS,
    async execute() {
      await delay(1_000);
      throw failure({ kind: "fatal", message: "The job failed." });
    },
  }),
  tool({
    name: "confirm_delete",
    description: "Delete a file, if somebody says so",
    input: { type: "object", properties: { filename: { type: "string" } } },
    background: SOON_MS,
    async execute({ filename }, { ask }) {
      await delay(10 * SOON_MS);
      const answer = await ask({ message: `Delete ${filename}?`, schema: CONFIRM });
      return answer.status === "answered" ? `deleted ${filename}` : "kept";
    },
  }),
  tool({
    name: "multi_input",
    description: "Ask two things at once",
    input: { type: "object" },
    background: SOON_MS,
    async execute(_, { ask }) {
      await delay(10 * SOON_MS);
      const questions = ["First name?", "Second name?"].map((message) => ask({ message, schema: NAME }));
      return JSON.stringify(await Promise.all(questions));
    },
  }),
  tool({
    name: "test_tool_with_task",
    description: "Ask for a name, then work on it for a while",
    input: { type: "object" },
    wait: { every: 100 },
    async execute(_, { ask }) {
      const answer = await ask({ message: "Your name?", schema: NAME });
      return deferred({ ref: answer.status === "answered" ? answer.value.name : "nobody" });
    },
    check: (ref) => `Hello, ${ref}!`,
  }),
];
