import { result } from "../call/result.ts";
import { validation } from "../failure/failure.ts";
import type { ArtifactStore } from "../stores/artifacts.ts";
import { tool } from "../tool/define-tool.ts";

export const READ_RESULT = "read_result";
/** Characters of the note behind a part, at most. */
const NOTE = 80;

/**
 * The tool with which a model pages through output that was too large to be shown at once. A part is what the whole was said
 * to be when it was kept, in whatever run; what nobody has labelled is untrusted. A part never exceeds the executor's `maxContent`.
 * Without `artifacts` it reads from the store of the executor that runs the call.
 *
 * @example
 * ```ts
 * import { Executor, readResultTool, Registry, textOf, tool } from "@toolrig/core";
 *
 * const input = { type: "object" } as const;
 * const list = tool({ name: "list", description: "List", input, execute: () => "x".repeat(500) });
 * const registry = new Registry([list]);
 * const executor = new Executor({ tools: registry, maxContent: 100 });
 * registry.add(readResultTool(executor.artifacts));
 *
 * const { artifact } = await executor.call({ id: "call_1", name: "list" });
 * const part = { id: "call_2", name: "read_result", arguments: { id: artifact, length: 3 } };
 * console.log(textOf((await executor.call(part)).content).split("\n")[0]); //=> xxx
 * ```
 */
export function readResultTool(artifacts?: Pick<ArtifactStore, "read">) {
  return tool({
    name: READ_RESULT,
    description: "Read a part of a tool's output that was too large to be shown whole.",
    input: {
      type: "object",
      properties: {
        id: { type: "string", description: "The id given where the output was cut" },
        offset: { type: "integer", minimum: 0, description: "First character to read, default 0" },
        length: {
          type: "integer",
          minimum: 1,
          maximum: 20_000,
          description: "How many characters, default 10000",
        },
      },
      required: ["id"],
      additionalProperties: false,
    },
    safety: { sideEffects: "read", idempotent: true },
    async execute({ id, offset = 0, length = 10_000 }, context) {
      const to = offset + Math.min(length, Math.max(1, context.maxContent - NOTE));
      const part = await (artifacts?.read(id, offset, to) ?? context.readOutput(id, offset, to));
      if (part === undefined)
        return validation(`There is no output with id "${id}". It may have been dropped.`);
      const end = offset + part.text.length;
      const more = end < part.length ? ` Continue at offset ${end}.` : " This is the end.";
      return result({
        content: `${part.text}\n[characters ${offset} to ${end} of ${part.length}.${more}]`,
        labels: { ...part.labels, integrity: part.labels?.integrity ?? "untrusted" },
      });
    },
  });
}
