import { expect, test } from "vitest";
import { z } from "zod";
import { ToolrigError } from "../failure/failure.ts";
import { Executor } from "../pipeline/executor.ts";
import { defineTool, isTool, tool } from "./define-tool.ts";
import type { ToolSpec } from "./tool.ts";

const spec: ToolSpec<unknown, unknown> = {
  name: "read_note",
  description: "Reads a note",
  input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  execute: () => "note",
};

function errorOf(change: Record<string, unknown>): ToolrigError {
  try {
    defineTool({ ...spec, ...change } as never, { trusted: true });
  } catch (error) {
    if (ToolrigError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("the definition was accepted");
}

const INVALID: [field: string, change: Record<string, unknown>][] = [
  ["name", { name: "" }],
  ["name", { name: "9lives" }],
  ["name", { name: "no spaces" }],
  ["name", { name: "x".repeat(129) }],
  ["name", { name: undefined }],
  ["name", { name: Object.create(null) }],
  ["description", { description: "  " }],
  ["description", { description: 5 }],
  ["execute", { execute: "run" }],
  ["available", { available: true }],
  ["prepare", { prepare: {} }],
  ["locks", { locks: ["file"] }],
  ["reconcile", { reconcile: 1 }],
  ["label", { label: "" }],
  ["type", { type: 7 }],
  ["version", { version: "1.2" }],
  ["version", { version: 2 }],
  ["mode", { mode: "serial" }],
  ["safety", { safety: "read" }],
  ["safety.sideEffects", { safety: { sideEffects: "some" } }],
  ["safety.sideEffects", { safety: {} }],
  ["safety.idempotent", { safety: { sideEffects: "read", idempotent: "yes" } }],
  ["safety.requires", { safety: { sideEffects: "read", requires: "network" } }],
  ["pure", { pure: true }],
  ["pure", { pure: true, safety: { sideEffects: "write" } }],
  ["pure", { pure: "yes", safety: { sideEffects: "read" } }],
  ["ledger", { ledger: 1 }],
  ["timeout", { timeout: 0 }],
  ["timeout", { timeout: "soon" }],
  ["timeout", { timeout: "30d" }],
  ["idleTimeout", { idleTimeout: -1 }],
  ["concurrency", { concurrency: 0 }],
  ["concurrency", { concurrency: 1.5 }],
  ["rate", { rate: 5 }],
  ["rate.limit", { rate: { per: "1m" } }],
  ["rate.limit", { rate: { limit: 0, per: "1m" } }],
  ["rate.per", { rate: { limit: 1, per: "never" } }],
  ["rate.wait", { rate: { limit: 1, per: "1m", wait: "x" } }],
  ["retry", { retry: 3 }],
  ["retry.attempts", { retry: { attempts: 0 } }],
  ["retry.backoff", { retry: { backoff: "fast" } }],
  ["retry.maxBackoff", { retry: { maxBackoff: -5 } }],
  ["retry.timeouts", { retry: { timeouts: "yes" } }],
  ["preference", { preference: "high" }],
  ["preference.weight", { preference: { weight: -1 } }],
  ["preference.enabled", { preference: { enabled: 1 } }],
  ["preference.overrides", { preference: { overrides: [] } }],
  ["labels", { labels: [] }],
  ["labels.integrity", { labels: { integrity: "dubious" } }],
  ["labels.confidentiality", { labels: { confidentiality: "secret" } }],
  ["labels.source", { labels: { source: "" } }],
  ["labels.sinks", { labels: { sinks: "to" } }],
  ["labels.sinks", { labels: { sinks: ["recipient"] } }],
  ["labels.assigned", { labels: { assigned: ["id"] } }],
  ["labels.assigned", { labels: { assigned: ["id"], integrity: "trusted" } }],
  ["approval", { approval: "always" }],
  ["examples", { examples: {} }],
  ["examples[0]", { examples: [null] }],
  ["examples[0].arguments", { examples: [{ arguments: { id: 5 } }] }],
  ["input", { input: undefined }],
];

test.each(INVALID)("names %s when the definition is wrong: %o", (field, change) => {
  const error = errorOf(change);
  expect(error.code).toBe("TOOL_INVALID_DEFINITION");
  expect(error.details).toMatchObject({ field });
  expect(error.message).toContain(`${field} must be`);
});

test.each([
  ["an input that is no schema", { input: 5 }],
  ["an input that is not an object's schema", { input: { type: "string" } }],
  [
    "an input with a type that does not exist",
    { input: { type: "object", properties: { a: { type: "strin" } } } },
  ],
  ["an output that is no schema", { output: "text" }],
])("refuses %s when it is defined", (_name, change) => {
  const { code, message } = errorOf(change);
  expect(code).toMatch(/^(SCHEMA_|TOOL_INVALID)/);
  expect(message).toMatch(/Tool "read_note": (input|output)/);
});

test("a definition that is nothing at all is refused", () => {
  expect(() => tool(null as never)).toThrow(/definition must be an object; got null/);
});

test.each([
  ["descriptoin", "description"],
  ["parameters", "input"],
  ["handler", "execute"],
  ["needsApproval", "approval"],
])("a setting that is called %s elsewhere is told as %s", (wrong, right) => {
  expect(errorOf({ [wrong]: {} }).message).toContain(
    `Unknown option "${wrong}" for tool(). Did you mean "${right}"?`,
  );
});

test("undeclared safety counts as external and not idempotent", () => {
  const { safety, definition, ledger } = tool(spec);
  expect(safety).toEqual({ sideEffects: "external", idempotent: false, requires: [] });
  expect(ledger).toBe(true);
  expect(definition.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
});

test("a tool cannot be changed after it is defined", () => {
  const defined = tool(spec);
  expect(() => Object.assign(defined, { name: "other" })).toThrow(TypeError);
  expect(() => Object.assign(defined.definition, { description: "other" })).toThrow(TypeError);
  expect(isTool(defined)).toBe(true);
  expect(isTool({ ...spec })).toBe(false);
});

test("examples are shown to the model", () => {
  const { definition } = tool({
    ...spec,
    examples: [{ arguments: { id: "n1" }, description: "the first" }, { arguments: { id: "n2" } }],
  });
  expect(definition.description).toBe(
    'Reads a note\nExamples of arguments:\n- the first: {"id":"n1"}\n- {"id":"n2"}',
  );
});

test("the functions of a definition see the definition as `this`", async () => {
  class Notes {
    readonly name = "read_note";
    readonly description = "Reads a note";
    readonly input = z.object({});
    readonly prefix = "note:";
    available() {
      return this.prefix === "note:";
    }
    approval() {
      return this.prefix !== "note:";
    }
    prepare(raw: unknown) {
      return this.prefix === "note:" ? raw : 5;
    }
    execute() {
      return `${this.prefix}1`;
    }
  }
  const executor = new Executor({ tools: [tool(new Notes())] });
  expect(await executor.call({ id: "c", name: "read_note" })).toMatchObject({
    isError: false,
    value: "note:1",
  });
});

test("a schema from outside is not compiled when it is defined, and fails its calls instead", async () => {
  const outside = defineTool(
    { ...spec, input: { type: "object", $ref: "#/$defs/none" } },
    { trusted: false },
  );
  const { failure } = await new Executor({ tools: [outside] }).call({ id: "c", name: "read_note" });
  expect(failure).toMatchObject({ code: "TOOL_UNAVAILABLE", retryable: false });
});

test("what was given can be changed afterwards, and the tool stays; the tool itself cannot be changed", () => {
  const given = {
    ...spec,
    input: { type: "object", properties: { id: { type: "string" } } },
    safety: { sideEffects: "external" as const, requires: ["network"] },
    labels: { integrity: "untrusted" as const, sinks: ["id"] },
    preference: { overrides: { id: "n1" } as Record<string, unknown> },
    examples: [{ arguments: { id: "n1" } }],
    retry: { attempts: 2 },
    rate: { limit: 1, per: "1s" as const },
  };
  const made = tool(given);
  const before = JSON.stringify(made);
  given.safety.requires.push("shell");
  Object.assign(given.labels, { integrity: "trusted" });
  given.labels.sinks.length = 0;
  given.preference.overrides.id = "eve";
  given.examples[0]!.arguments.id = "eve";
  Object.assign(given.retry, { attempts: 99 });
  Object.assign(given.rate, { limit: 99 });
  Object.assign(given.input.properties, { to: {} });
  expect(JSON.stringify(made)).toBe(before);
  expect(before).not.toContain('"eve"');
  for (const part of partsOf(made)) expect(Object.isFrozen(part)).toBe(true);
});

function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
