import { type Failure, type FailureInput, failure, type ToolContext, type ToolFailure } from "@toolrig/core";
import type { CodeError, SandboxOutcome } from "../engine/run.ts";
import type { Sandbox } from "../engine/sandbox.ts";
import { stripBody } from "../typescript/strip.ts";
import { answerNested, type Surroundings } from "./nested-call.ts";
import type { MadeTool } from "./recipe.ts";

/** What runs handlers. */
export interface Workshop extends Surroundings {
  /** Made when it is first needed. */
  sandbox(): Sandbox;
}

type Runnable = Pick<MadeTool, "name" | "handler" | "uses" | "safety" | "by">;

/** How a handler ended: with a value, or with why there is none. */
export type Handled = { ok: true; value: unknown } | { ok: false; failure: Failure; line?: number };

/** A handler that can be called. Its types are taken out when it is first called. */
export function handlerOf(made: Runnable, workshop: Workshop) {
  const stripped = once(() => stripBody(made.handler));
  return async (input: unknown, context: ToolContext): Promise<Handled> => {
    const body = await stripped();
    if (!body.ok)
      return failed({ kind: "fatal", message: `${made.name} cannot be read: ${body.problem.message}` });
    const failures: FailureInput[] = [];
    const outcome = await workshop.sandbox().run({
      code: body.code,
      filename: `${made.name}.ts`,
      globals: { input },
      tools: made.uses.map(({ name }) => name),
      signal: context.signal,
      async onCall(call) {
        const answer = await answerNested(made, call, context, workshop);
        if (answer.status === "failed") failures.push(answer.error);
        return answer;
      },
      onLog: ({ level, text }) => context.log[level === "log" ? "info" : level](text),
    });
    return handled(made, outcome, failures);
  };
}

function handled({ name }: Runnable, outcome: SandboxOutcome, failures: readonly FailureInput[]): Handled {
  switch (outcome.status) {
    case "returned":
      return { ok: true, value: outcome.value };
    case "threw":
      return threw(name, outcome.error, failures);
    case "limit": {
      const kind = outcome.limit === "wall" ? "timeout" : "fatal";
      return failed({
        kind,
        message: `${name} was stopped: ${outcome.message}`,
        details: { limit: outcome.limit },
      });
    }
    case "cancelled":
      return failed({ kind: "cancelled", message: `${name} was cancelled.` });
    case "paused":
    case "refused":
    case "broken":
      return failed({ kind: "fatal", message: `${name} could not be run to its end.` });
  }
}

/** What a call that the handler made failed with, and it did not catch, is why it failed; else it is its own fault. */
function threw(
  name: string,
  { message, name: type, line }: CodeError,
  failures: readonly FailureInput[],
): Handled {
  const nested = failures.find((each) => each.message === message);
  const place = line === undefined ? "" : ` (line ${line} of its handler)`;
  const text = type === "Error" || type === "ToolError" ? message : `${type}: ${message}`;
  const { code, kind } = nested === undefined || OWN.has(nested.kind) ? {} : nested;
  const answer = failed({
    ...(kind !== undefined && { kind }),
    ...(code !== undefined && { code }),
    message: `${name} failed${place}: ${text}`,
  });
  return line === undefined ? answer : { ...answer, line };
}

/** Faults in the arguments that a handler gave are the handler's, not those of whoever called the tool. */
const OWN: ReadonlySet<FailureInput["kind"]> = new Set(["validation", "not_found", "budget", "cancelled"]);

function failed(input: FailureInput): Extract<Handled, { ok: false }> {
  return { ok: false, failure: (failure(input) as ToolFailure).failure };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
