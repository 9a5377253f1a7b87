import type { ArgumentIssue, InferInput, Repair } from "@toolrig/core";
import {
  type AcceptedSchema,
  acceptSchema,
  conform,
  declareOptions,
  type OptionTable,
  option,
} from "@toolrig/core/kit";
import { withoutReasoning } from "@toolrig/extract";
import { decode } from "@toolrig/json";
import type { Message, UserMessage } from "../model/message.ts";
import type { AnswerInput, LoopHooks, TurnInput } from "../run/hooks.ts";
import type { Ending, RunError, RunOutcome } from "../run/outcome.ts";
import type { Setup } from "../run/setup.ts";
import { type UserInput, userMessage } from "../run/steering.ts";
import { resumeWhenReady, type WhenReadyOptions } from "../run/when-ready.ts";
import { type AgentLoopOptions, agentLoopOptions, type RunOptions } from "./options.ts";
import { resumeRun } from "./resume.ts";
import type { Run } from "./run.ts";
import { setUp } from "./set-up.ts";
import { type LoopCore, startRun } from "./start.ts";

export interface StructuredLoopOptions<Schema> extends AgentLoopOptions {
  /** What the answer must match: any schema that a tool's input can be, of any JSON type. */
  schema: Schema;
  /** How often the model may try to write the answer. Default 3. */
  attempts?: number;
}

const structuredLoopOptions = declareOptions("StructuredLoop", {
  ...agentLoopOptions.table,
  schema: option.anything("a Standard Schema, a TypeBox type or JSON Schema", {
    required: true,
    aliases: ["output", "outputType", "responseFormat"],
  }),
  attempts: option.count(1, { default: 3 }),
} satisfies OptionTable<StructuredLoopOptions<unknown>>);

/** As of any run; an answer has its value, and what was changed in the text to read it. */
export type StructuredOutcome<Value> = Exclude<RunOutcome, { status: "answered" }> | AnsweredWith<Value>;

type AnsweredWith<Value> = Extract<RunOutcome, { status: "answered" }> & { value: Value; repairs: Repair[] };

/**
 * Two phases: the model gathers what it needs with tools, then it has none and writes JSON that matches a schema. What
 * does not match is sent back with what is wrong. The phase follows from the transcript, so a run that was interrupted
 * resumes in the right one, and steering during the second leads back to the first.
 *
 * @example
 * ```ts
 * import { scriptedEngine, StructuredLoop } from "@toolrig/agent";
 * import { z } from "zod";
 *
 * const engine = scriptedEngine(["{city: 'Rome', degrees: '21'}"]);
 * const schema = z.object({ city: z.string(), degrees: z.number() });
 * const loop = new StructuredLoop({ engine, schema });
 * const outcome = await loop.run("How warm is it in Rome?").outcome;
 * if (outcome.status === "answered") console.log(outcome.value); //=> { city: 'Rome', degrees: 21 }
 * ```
 */
export class StructuredLoop<const Schema> {
  readonly #setup: Setup;
  readonly #gathers: boolean;
  readonly #schema: AcceptedSchema;
  readonly #attempts: number;

  constructor(options: StructuredLoopOptions<Schema>) {
    const { schema, attempts, ...rest } = structuredLoopOptions.withDefaults(options);
    this.#attempts = attempts;
    this.#schema = acceptSchema(schema, "schema");
    this.#setup = setUp(rest);
    this.#gathers = options.tools !== undefined;
  }

  run(input: UserInput, options?: RunOptions): Run<StructuredOutcome<InferInput<Schema>>> {
    const first = this.#gathers ? input : withInstruction(userMessage(input), this.#instruction());
    return startRun(this.#core(), first, options) as Run<StructuredOutcome<InferInput<Schema>>>;
  }

  resume(
    runId: string,
    options?: Omit<RunOptions, "runId" | "messages">,
  ): Run<StructuredOutcome<InferInput<Schema>>> {
    return resumeRun(this.#core(), runId, options) as Run<StructuredOutcome<InferInput<Schema>>>;
  }

  /** As of an `AgentLoop`, for the runs of structured loops. */
  resumeWhenReady(options?: WhenReadyOptions<Run<StructuredOutcome<InferInput<Schema>>>>): () => void {
    const { journal, toolset, clock } = this.#setup;
    const resume = (runId: string) => this.resume(runId);
    return resumeWhenReady(
      { journal, clock, kind: "structured", executor: toolset.executor, after: "every", resume },
      options,
    );
  }

  /** One a run: the hooks know which phase it is in. The executor is the same for all. */
  #core(): LoopCore {
    const { hooks } = this.#setup;
    return {
      setup: { ...this.#setup, hooks: { ...hooks, ...this.#hooks(hooks) } },
      kind: "structured",
      conclude: (ending, messages) => this.#conclude(ending, messages),
    };
  }

  #hooks(own: LoopHooks): LoopHooks {
    const responseFormat = { type: "json" as const, schema: this.#schema.jsonSchema, name: "answer" };
    let formatting = false;
    return {
      prepareTurn: async (input: TurnInput) => {
        const changes = await own.prepareTurn?.(input);
        const before = formatting;
        formatting = formatAttempts(input.messages) > 0;
        if (formatting) return { ...changes, tools: [], responseFormat };
        return before ? { tools: null, ...changes, responseFormat: null } : changes;
      },
      onAnswer: async (input: AnswerInput) => {
        const tries = formatAttempts(input.messages);
        if (tries === 0) return { role: "user", origin: "format", content: this.#instruction() };
        const read = await this.#read(input.messages);
        if (read.error === undefined) return own.onAnswer?.(input);
        return tries < this.#attempts ? correction(read.error) : undefined;
      },
    };
  }

  #instruction(): string {
    const schema = JSON.stringify(this.#schema.jsonSchema);
    return `Give your answer now as one JSON document that matches this JSON Schema, and nothing else:\n${schema}`;
  }

  async #conclude(ending: Ending, messages: readonly Message[]): Promise<Ending> {
    if (ending.status !== "answered") return ending;
    const read = await this.#read(messages);
    if (read.error !== undefined) return { status: "failed", error: read.error };
    return { ...ending, value: read.value, repairs: read.repairs };
  }

  async #read(messages: readonly Message[]): Promise<Read> {
    const last = messages.at(-1);
    const text =
      last?.role === "assistant"
        ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("")
        : "";
    const complete = last?.role === "assistant" && last.finishReason !== "length";
    return readAnswer(text, complete, this.#schema);
  }
}

type Read = { value: unknown; repairs: Repair[]; error?: undefined } | { error: RunError };

async function readAnswer(text: string, complete: boolean, schema: AcceptedSchema): Promise<Read> {
  const decoded = decode(withoutReasoning(text), { schema: schema.jsonSchema, complete });
  if (!decoded.ok) return { error: { code: "CONSTRAINT_JSON_INVALID", message: decoded.failure.message } };
  if (decoded.mode === "partial") {
    return { error: { code: "CONSTRAINT_JSON_INVALID", message: "The JSON was cut off before its end." } };
  }
  if (decoded.degree === "lossy") return { error: lossy(decoded.repairs) };
  const answer = await conform(decoded.value, schema);
  if (!answer.ok) return { error: mismatch(answer.issues) };
  return { value: answer.value, repairs: [...decoded.repairs, ...answer.repairs] };
}

/** What is left of an answer is not the answer: whoever goes on with it would not know what is missing. */
function lossy(repairs: readonly Repair[]): RunError {
  const lost = repairs.filter(({ degree }) => degree === "lossy");
  const lines = lost.map(
    ({ kind, before, after }) => `- ${kind}: ${before} was read as ${after || "nothing"}`,
  );
  return {
    code: "CONSTRAINT_JSON_INVALID",
    message: `The JSON could be read only by leaving out some of it:\n${lines.join("\n")}`,
    details: { repairs: lost },
  };
}

function mismatch(issues: readonly Pick<ArgumentIssue, "path" | "message">[]): RunError {
  const lines = issues.map(({ path, message }) => (path === "" ? `- ${message}` : `- ${path}: ${message}`));
  return {
    code: "CONSTRAINT_SCHEMA_INVALID",
    message: `The answer does not match the schema:\n${lines.join("\n")}`,
    details: { issues },
  };
}

function correction({ message }: RunError): UserMessage {
  const content = `${message}\nGive the whole answer again as one JSON document, corrected, and nothing else.`;
  return { role: "user", origin: "format", content };
}

/** How often the model was asked for the answer since anybody said anything else; 0 while it gathers. */
function formatAttempts(messages: readonly Message[]): number {
  let attempts = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    if (message.origin !== "format") break;
    attempts += 1;
  }
  return attempts;
}

function withInstruction(message: UserMessage, instruction: string): UserMessage {
  const content =
    typeof message.content === "string"
      ? `${message.content}\n\n${instruction}`
      : [...message.content, { type: "text" as const, text: instruction }];
  return { ...message, content, origin: "format" };
}
