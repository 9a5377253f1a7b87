import {
  type BatchOptions,
  Executor,
  failure,
  result,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
  tool,
} from "@toolrig/core";
import { formatDuration } from "@toolrig/core/kit";
import type { OutCall } from "../run/calls-out.ts";
import type { RunState } from "../run/state.ts";

/** With what a model asks after calls that are not over. */
const CHECK_CALL = "check_call";
const CANCEL_CALL = "cancel_call";

const input = {
  type: "object",
  properties: { id: { type: "string", description: "The id that was given in the place of a result" } },
  required: ["id"],
  additionalProperties: false,
} as const;

interface Own {
  executor: Executor;
  /** What is offered with them, by what is offered without. */
  offered: WeakMap<readonly ToolDefinition[], readonly ToolDefinition[]>;
}

const owns = new WeakMap<RunState, Own>();

/** One a run: they know its calls and no others. What they do is told on the stream of the run's own executor. */
function ownOf(run: RunState): Own {
  let own = owns.get(run);
  if (own === undefined) {
    const { executor } = run.settings;
    const { clock } = run.setup;
    const tools = [checkCall(run), cancelCall(run)];
    own = { executor: new Executor({ tools, clock, events: executor.events }), offered: new WeakMap() };
    owns.set(run, own);
  }
  return own;
}

/** What the model is offered, and how to ask after calls once there was one that went on without it. */
export function withOwnTools(run: RunState, tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  if (!run.out.ever) return tools;
  const { executor, offered } = ownOf(run);
  let all = offered.get(tools);
  if (all === undefined) {
    const names = new Set(tools.map(({ name }) => name));
    all = [...tools, ...executor.definitions().filter(({ name }) => !names.has(name))];
    offered.set(tools, all);
  }
  return all;
}

/** Whether a call is one of these, and not of a tool of that name that the loop was given. */
export function isOwnCall(run: RunState, name: string): boolean {
  if (name !== CHECK_CALL && name !== CANCEL_CALL) return false;
  return run.out.ever && run.settings.schemaOf(name) === undefined;
}

/** The results of calls, each from who has its tool, in their order. */
export async function batchWithOwn(
  run: RunState,
  calls: readonly ToolCall[],
  options: BatchOptions,
): Promise<readonly ToolResult[]> {
  const { executor } = run.settings;
  const isOwn = calls.map(({ name }) => isOwnCall(run, name));
  if (!isOwn.includes(true)) return executor.batch(calls, options);
  const part = (own: boolean) => {
    const mine = (_: unknown, index: number) => isOwn[index] === own;
    const { executionIds, refusals, signals } = options;
    const asked = calls.filter(mine);
    if (asked.length === 0) return [];
    return (own ? ownOf(run).executor : executor).batch(asked, {
      ...options,
      ...(executionIds !== undefined && { executionIds: executionIds.filter(mine) }),
      ...(refusals !== undefined && { refusals: refusals.filter(mine) }),
      ...(signals !== undefined && { signals: signals.filter(mine) }),
    });
  };
  const [theirs, ours] = (await Promise.all([part(false), part(true)])).map((each) =>
    each[Symbol.iterator](),
  );
  return isOwn.flatMap((own) => (own ? ours : theirs)?.next().value ?? []);
}

function checkCall(run: RunState) {
  return tool({
    name: CHECK_CALL,
    description:
      "Look how far a call is that is not over. There is no need to ask again and again: you are given its result when it comes.",
    input,
    safety: { sideEffects: "none", idempotent: true },
    execute({ id }) {
      const call = outOf(run, id);
      if (call.held.result !== undefined) return said(`${call.call.name} is over. Its result follows.`);
      const { kind, expiresAt } = call.waiting;
      const age = formatDuration(Math.round((run.setup.clock.now() - call.since) / 1_000) * 1_000);
      const lines = [`${call.call.name} is not over. Kind of wait: ${kind}. Since: ${age}.`];
      if (call.progress !== undefined) lines.push(`Progress: ${Math.round(call.progress * 100)}%.`);
      if (expiresAt !== undefined) lines.push(`Until: ${new Date(expiresAt).toISOString()}.`);
      return said(lines.join(" "));
    },
  });
}

function cancelCall(run: RunState) {
  return tool({
    name: CANCEL_CALL,
    description: "Cancel a call that is not over. What it has done by then stays done.",
    input,
    safety: { sideEffects: "write", idempotent: true },
    async execute({ id }) {
      const call = outOf(run, id);
      if (call.held.result !== undefined) return said(`${call.call.name} is over. Its result follows.`);
      // Code that runs in the background is ended by who runs it.
      if (call.waiting.kind === "background")
        await run.settings.executor.waits?.cancel(id, { reason: "the model cancelled it" });
      else call.cancel();
      return said(`${call.call.name} is being cancelled. What became of it follows.`);
    },
  });
}

function outOf(run: RunState, id: string): OutCall {
  const call = run.out.get(id);
  if (call !== undefined) return call;
  const others = run.out.list().map(({ executionId, name }) => `${executionId} (${name})`);
  const known = others.length === 0 ? "none is" : `those are: ${others.join(", ")}`;
  throw failure({
    code: "TOOL_EXECUTION_FAILED",
    kind: "validation",
    message: `No call of this run that is not over has the id "${id.slice(0, 80)}"; ${known}.`,
  });
}

/** In the runtime's own words. */
function said(content: string) {
  return result({ content, labels: { source: "toolrig" } });
}
