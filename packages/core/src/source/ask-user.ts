import { type MarkedOutcome, result } from "../call/result.ts";
import { defined } from "../defined.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import type { Duration } from "../options/duration.ts";
import { duration } from "../options/kinds.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { QuestionAnswer } from "../tool/context.ts";
import { tool } from "../tool/define-tool.ts";

interface Field {
  name: string;
  type?: "text" | "number" | "boolean" | "choice" | undefined;
  description?: string | undefined;
  choices?: string[] | undefined;
  optional?: boolean | undefined;
}

const FIELD = {
  type: "object",
  properties: {
    // A name that the model chose comes back with the user's words: it can be none of those that matter.
    name: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]{0,59}$", description: "Letters, digits and _" },
    type: { enum: ["text", "number", "boolean", "choice"], description: 'Default "text"' },
    description: { type: "string", maxLength: 500 },
    choices: {
      type: "array",
      items: { type: "string", maxLength: 200 },
      minItems: 1,
      maxItems: 50,
      description: 'With type "choice": what can be chosen',
    },
    optional: { type: "boolean", description: "Whether it may be left out, default false" },
  },
  required: ["name"],
  additionalProperties: false,
} as const;

const askUserOptions = declareOptions("askUserTool", {
  expires: duration(),
} satisfies OptionTable<{ expires?: Duration }>);

/**
 * The tool with which a model asks the person behind the run. The answer is the user's own words; that there is none is told.
 *
 * @example
 * ```ts
 * import { askUserTool, Executor } from "@toolrig/core";
 *
 * const executor = new Executor({ tools: [askUserTool()] });
 * const call = { id: "call_1", name: "ask_user", arguments: { message: "Which city?" } };
 * await executor.call(call, { executionId: "exec_1", onWaiting: "return" });
 * await executor.waits.answer("exec_1", { by: { id: "ada" }, value: "Rome" });
 * const { value } = await executor.call(call, { executionId: "exec_1" });
 * console.log(value); //=> Rome
 * ```
 */
export function askUserTool(options: { expires?: Duration } = {}) {
  askUserOptions.check(options);
  const { expires } = options;
  return tool({
    name: "ask_user",
    description:
      "Ask the user for what only they can know or decide. Without fields they answer with text. " +
      "A user who declines is not asked the same again.",
    input: {
      type: "object",
      properties: {
        message: { type: "string", minLength: 1, maxLength: 4_000, description: "The question, in full" },
        fields: {
          type: "array",
          items: FIELD,
          maxItems: 20,
          description: "What to fill in, for more than text",
        },
      },
      required: ["message"],
      additionalProperties: false,
    },
    safety: { sideEffects: "none", idempotent: true },
    labels: { integrity: "trusted", source: "the user", user: true },
    async execute({ message, fields = [] }, { ask }) {
      const schema = fields.length === 0 ? TEXT : schemaOf(fields);
      return told(await ask({ message, schema, ...defined({ expires }) }));
    },
  });
}

const TEXT: JsonSchema = { type: "string" };

function schemaOf(fields: readonly Field[]): JsonSchema {
  const required = fields.filter(({ optional }) => optional !== true).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: [...new Set(required)],
    additionalProperties: false,
  };
}

function propertyOf({ type = "text", description, choices = [] }: Field): JsonSchema {
  const about = description === undefined ? {} : { description };
  if (type === "choice" && choices.length > 0) return { enum: [...new Set(choices)], ...about };
  return { type: type === "number" || type === "boolean" ? type : "string", ...about };
}

function told(answer: QuestionAnswer<JsonSchema>): MarkedOutcome {
  if (answer.status === "answered") {
    const { value } = answer as { value: unknown };
    return result({ value, content: typeof value === "string" ? value : JSON.stringify(value) });
  }
  const why = answer.reason === undefined ? "" : `: ${answer.reason}`;
  const content =
    answer.status === "declined"
      ? `The user declined to answer${why}. Go on without it, or say what you cannot do.`
      : `There is no answer, and there will be none${why}.`;
  return result({ value: { status: answer.status }, content });
}
