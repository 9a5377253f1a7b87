/** The files of a new project by their paths: a config, a tool and its test. `ending` is that of all of them, such as "ts". */
export function sampleFiles(ending: string): Readonly<Record<string, string>> {
  return {
    [`toolrig.config.${ending}`]: configText(ending),
    [`tools/greet.${ending}`]: TOOL,
    [`tools/greet.test.${ending}`]: testText(ending),
    // What is kept there is nobody's source.
    ".toolrig/.gitignore": "*\n",
  };
}

function configText(ending: string): string {
  return `import { defineConfig } from "toolrig";
import { greet } from "./tools/greet.${ending}";

export default defineConfig({
  tools: [greet],
  timeout: "30s",
  // Calls, runs and questions are kept here, and survive a crash: toolrig log, toolrig runs, toolrig approvals.
  store: ".toolrig/toolrig.db",
  // What may run, and what a person is asked about first. Take the comment away, and call greet again.
  // policy: { rules: [{ name: "strangers", when: { tool: "greet" }, verdict: "ask", reason: "is that a friend?" }] },
});
`;
}

const TOOL = `import { tool } from "toolrig";

export const greet = tool({
  name: "greet",
  description: "Greet somebody by name",
  input: {
    type: "object",
    properties: { name: { type: "string", minLength: 1, description: "Whom to greet" } },
    required: ["name"],
  },
  // It decides what is retried, run in parallel, approved and repeated after a crash. A tool that says nothing is treated with most care.
  safety: { sideEffects: "none", idempotent: true },
  execute: ({ name }) => \`Hello, \${name}!\`,
});
`;

function testText(ending: string): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { Executor } from "toolrig";
import { greet } from "./greet.${ending}";

const executor = new Executor({ tools: [greet] });

test("greets whoever is named, also where the model's JSON is broken", async () => {
  const { value } = await executor.call({ id: "call_1", name: "greet", arguments: "{name: 'Ada',}" });
  assert.equal(value, "Hello, Ada!");
});

test("says what is missing", async () => {
  const { failure } = await executor.call({ id: "call_2", name: "greet", arguments: {} });
  assert.equal(failure?.kind, "validation");
});
`;
}
