import { tool } from "@openai/agents";
import { wrappedValue } from "../beneath/raw-arguments.ts";
import type { AgentsCallDetails, AgentsRunContext, AgentsTool } from "./shape.ts";

/** A tool of the SDK by what it does. */
interface Parts extends Omit<AgentsTool, "invoke"> {
  run(input: unknown, runContext: AgentsRunContext, details?: AgentsCallDetails): Promise<unknown>;
}

/**
 * A tool of the SDK that runs whatever arguments it is given: what is wrong with them is the pipeline's to say.
 *
 * The SDK asks a person about every call whose arguments are no JSON object, where approval is decided by a function: it cannot ask
 * that function. But nothing could be approved there. JSON that is no object comes wrapped in one, by the parser of a tool that the SDK
 * made; and for text that is no JSON the SDK is shown, at that moment and at no other, a tool that never asks, so that it answers the
 * model as it does by itself.
 */
export function answering({ run, needsApproval, parameters, ...parts }: Parts): AgentsTool {
  const made = tool({
    name: parts.name,
    description: parts.description,
    parameters: WRAPPING,
    strict: true,
    errorFunction: null,
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's own context is a class with private parts
    execute: (input: unknown, runContext?: any, details?: any) => run(input, runContext, details),
  }) as AgentsTool;
  const never = made.needsApproval;
  // The SDK parses right after it has looked whether there are parameters, and only if that works it looks for the tool's own parser.
  let isParsing = false;
  return Object.defineProperties({ ...parts } as AgentsTool, {
    parameters: seen(() => {
      isParsing = true;
      queueMicrotask(() => {
        isParsing = false;
      });
      return parameters;
    }),
    invoke: seen(() => {
      isParsing = false;
      return made.invoke;
    }),
    needsApproval: seen(() => (isParsing ? never : needsApproval)),
  });
}

function seen(get: () => unknown): PropertyDescriptor {
  return { get, enumerable: true, configurable: true };
}

const OPEN = { type: "object", properties: {}, required: [], additionalProperties: false };

const WRAPPING = {
  "~standard": {
    version: 1 as const,
    vendor: "toolrig",
    validate: (value: unknown) => ({ value: isPlainObject(value) ? value : wrappedValue(value) }),
    jsonSchema: { input: () => OPEN, output: () => OPEN },
  },
};

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
