import type { CallOptions, ToolCall } from "../../call/call.ts";
import type { Decoded } from "../../call/decoded.ts";
import type { Deed, Effect } from "../../call/effects.ts";
import type { CallFact, CallStory } from "../../call/events.ts";
import type { DataLabels } from "../../call/labels.ts";
import { defined } from "../../defined.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { Wait } from "../../stores/waits.ts";
import { definitionHash } from "../../tool/definition.ts";
import type { AnyTool } from "../../tool/tool.ts";
import { Execution, type Resolved } from "../execution.ts";
import type { Pipeline } from "../pipeline.ts";
import { readBy } from "../read-by.ts";
import type { Services } from "../services.ts";
import { type LeftCall, leftCall } from "./left-call.ts";

/** A call whose code has ended and whose result is still to come: all that any process needs to go on with it. Plain data. */
export interface ParkedCall {
  /** What its tool gave for `check` and `cancel`. */
  ref?: unknown;
  details?: unknown;
  /** How often its tool was asked whether there is a result. */
  checks: number;
  call: ToolCall;
  options: Pick<
    CallOptions,
    "runId" | "requestId" | "stepName" | "parentId" | "principal" | "allow" | "source" | "trace"
  >;
  args: unknown;
  version?: string;
  definitionHash: string;
  /** What the result must be, where the tool is not at hand or is another by now. */
  outputSchema?: JsonSchema;
  decoded: Decoded;
  attempts: number;
  effects?: Effect[];
  labels?: DataLabels;
  /** By its run, when it was parked. */
  read?: DataLabels;
  advice?: string[];
  did?: Deed;
  startedAt: number;
  preparedAt: number;
  attemptedAt: number;
  facts: CallFact[];
  /** The call that waits for this one, and goes on by itself. */
  left?: LeftCall;
}

export function parkedCall(execution: Resolved): ParkedCall {
  const { tool, call, options, parentId, args, decoded, attempts, did, trace } = execution;
  const { facts } = execution.waiting;
  const deferral = execution.state.at === "deferred" ? execution.state.deferral : undefined;
  const { runId, requestId, stepName, principal, allow, source } = options;
  const left = execution.parent === undefined ? undefined : leftCall(execution);
  const read = readBy(execution);
  return {
    ...(deferral?.ref !== undefined && { ref: deferral.ref }),
    ...(deferral?.details !== undefined && { details: deferral.details }),
    checks: 0,
    call,
    options: {
      ...defined({ runId, requestId, stepName, principal, allow, source, parentId, trace }),
    },
    args,
    ...defined({ version: tool.version }),
    definitionHash: definitionHash(tool.definition),
    ...defined({ outputSchema: tool.output?.jsonSchema }),
    decoded,
    attempts,
    ...defined({ effects: execution.effects, labels: execution.labels, read, advice: execution.advice }),
    ...(did !== undefined && { did: { sideEffects: did.sideEffects, idempotent: did.idempotent } }),
    startedAt: execution.startedAt,
    preparedAt: execution.preparedAt,
    attemptedAt: execution.attemptedAt,
    facts,
    ...defined({ left }),
  };
}

/** The execution as it was when it was parked. Undefined where its tool is not at hand. */
export function revive(services: Services, pipeline: Pipeline, wait: Wait): Resolved | undefined {
  const tool = toolOf(services, wait.body as ParkedCall);
  return tool === undefined ? undefined : recall(services, pipeline, wait).resolveTo(tool);
}

/** The same for who only has to tell of it. */
export function recall(services: Services, pipeline: Pipeline, wait: Wait): Execution {
  const parked = wait.body as ParkedCall;
  const options: CallOptions = { ...parked.options, executionId: wait.executionId };
  const execution = new Execution(services, pipeline, parked.call, options, undefined);
  const { args, decoded, attempts, startedAt, preparedAt, attemptedAt } = parked;
  Object.assign(execution, { args, decoded, attempts, startedAt, preparedAt, attemptedAt });
  const { effects, labels, read, advice, did } = parked;
  Object.assign(execution, { effects, labels, read, advice, did });
  return execution;
}

/** Of the version that was called, or else of that name; with the output that was promised when it was called. */
export function toolOf({ source }: Services, parked: ParkedCall): AnyTool | undefined {
  const { call, version, outputSchema } = parked;
  const tool =
    (version === undefined ? undefined : source.get(call.name, `=${version}`)) ?? source.get(call.name);
  if (tool === undefined || definitionHash(tool.definition) === parked.definitionHash) return tool;
  const output = outputSchema === undefined ? undefined : { jsonSchema: outputSchema };
  return { ...tool, version, output };
}

/** What the record of a parked call is made of, beside its end. */
export function storyOf({ call, options, facts, attemptedAt }: ParkedCall): CallStory {
  const { principal, source = "model", trace } = options;
  return {
    rawArguments: call.arguments,
    source,
    ...defined({ principal }),
    ...(attemptedAt !== 0 && { attemptedAt }),
    facts,
    ...defined({ trace }),
  };
}
