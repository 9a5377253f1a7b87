import type { ToolResult } from "@toolrig/core";
import { compileAllowlist, newId } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import type { Reply } from "../http/reply.ts";
import type { Caller } from "../http/route.ts";
import { executionForKey, type KeyedExecution } from "../live/call-desk.ts";
import type { CallRequest } from "../wire.ts";
import { type Asked, answer, callOf, notOver, optionsOf, pending } from "./asked-call.ts";
import { statusOf } from "./call-status.ts";
import type { Context } from "./context.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;

/** A call whose result is kept: it has a key, under which it is made once, or is not waited for. */
export async function callKept(
  context: Context,
  body: CallRequest,
  ask: Asked,
  { key, isAsync }: { key: string | undefined; isAsync: boolean },
): Promise<Reply> {
  const keyed = key === undefined ? undefined : keyedExecution(context, key, body, ask.caller);
  const executionId = keyed?.id ?? newId("exec");
  if (keyed !== undefined && body.onWaiting !== "hold" && (await waits(context, executionId))) {
    const status = await statusOf(context, executionId, ask.caller);
    if (status !== undefined) return notOver(status);
  }
  const made = await findOrMake(context, body, ask, executionId, keyed);
  if (!isAsync) return answer(context, await heldFor(body, ask, made.result), ask.caller);
  Promise.resolve(made.result).catch(() => {});
  return notOver((await statusOf(context, executionId, ask.caller)) ?? pending(executionId, body));
}

/** The result is wrapped, so that it is not waited for. */
async function findOrMake(
  context: Context,
  body: CallRequest,
  ask: Asked,
  executionId: string,
  keyed: KeyedExecution | undefined,
): Promise<{ result: ToolResult | Promise<ToolResult> }> {
  const { slots } = context.desk;
  const find = () => (keyed === undefined ? undefined : knownResult(context, keyed));
  const before = find();
  if (before !== undefined) return { result: before };
  const isHeld = body.onWaiting === "hold";
  const place = slots.enter(1, isHeld);
  if (place !== undefined) {
    await place;
    // Somebody with the same key may have come first; then the place is for others.
    let isFirst = false;
    try {
      const meanwhile = find();
      isFirst = meanwhile === undefined;
      if (meanwhile !== undefined) return { result: meanwhile };
    } finally {
      if (!isFirst) slots.leave(1, isHeld);
    }
  }
  const options = { ...optionsOf(body, ask), executionId };
  return { result: context.desk.makeKept(callOf(body), options, keyed) };
}

/** The result of a call that goes on without its caller, unless the caller's token is no longer good by then. */
async function heldFor(
  { onWaiting }: CallRequest,
  { ended }: Asked,
  making: ToolResult | Promise<ToolResult>,
): Promise<ToolResult> {
  if (onWaiting !== "hold") return making;
  const gone = Promise.withResolvers<never>();
  const leave = () =>
    gone.reject(
      new RequestProblem("TOKEN_INVALID", "The token was revoked or expired while the call waited."),
    );
  ended.addEventListener("abort", leave);
  try {
    return await Promise.race([making, gone.promise]);
  } finally {
    ended.removeEventListener("abort", leave);
  }
}

/** Whether it waits for an approval, an answer or a result. It is not begun anew to find that out. */
async function waits({ rig }: Context, executionId: string): Promise<boolean> {
  const open = await rig.waits.list({ executionId, open: true, limit: 1 });
  return open.some(({ kind }) => kind !== "background");
}

/**
 * What the key's execution came to, or comes to, here or in a process before this one. Throws a problem when the key stands for
 * another request; a request that was refused makes it stand for nothing.
 */
function knownResult(
  { rig: { store }, desk }: Context,
  keyed: KeyedExecution,
): ToolResult | Promise<ToolResult> | undefined {
  const { id, prefix } = keyed;
  const known =
    desk.executionOf(keyed) ??
    store
      ?.find(prefix, { endings: false })
      .executions.find((each) => each !== id && each.length === id.length);
  if (known !== undefined && known !== id)
    throw new RequestProblem(
      "IDEMPOTENCY_KEY_REUSED",
      "This key was sent before with another request. Take a new one.",
    );
  const kept = desk.resultOf(id);
  if (kept !== undefined && (kept instanceof Promise || isFinal(kept))) return kept;
  // What the ledger knows of, it answers itself, with nothing left out.
  if (store === undefined || store.ledger.get(id) !== undefined) return undefined;
  const record = store.records.get(id).records.findLast(({ result }) => isFinal(result));
  return record && { ...record.result, attempts: 0, replayed: true };
}

/** What did not run and may another time, for example because another server was at it, is tried again under its key. */
function isFinal({ attempts, failure }: ToolResult): boolean {
  return attempts > 0 || failure?.retryable !== true;
}

function keyedExecution(
  { rig: { tools } }: Context,
  key: string,
  body: CallRequest,
  { acting, allow }: Caller,
): KeyedExecution {
  if (!KEY.test(key))
    throw new RequestProblem("REQUEST_INVALID", "Idempotency-Key must be 1 to 255 visible ASCII characters.");
  const { name, arguments: args, version, id: callId, runId, requestId } = body;
  const tool = allow && tools.get(name, version);
  const isThere = allow === undefined || (tool && compileAllowlist(allow)(tool, tools) === undefined);
  // A token for which the tool is not there neither gets what others of its principal came to, nor decides it for them.
  const owner = isThere ? acting.id : JSON.stringify([acting.id, allow]);
  return executionForKey(owner, key, { name, args, version, callId, runId, requestId });
}
