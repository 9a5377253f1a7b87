import {
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ToolResult } from "@toolrig/core";
import type { Asked } from "../asking.ts";
import type { CallContext, Serving, Wanted } from "../call.ts";
import type { Caller } from "../caller.ts";
import { toldResult } from "../told-result.ts";
import type { Task } from "./task.ts";
import type { Tasks } from "./tasks.ts";
import { RELATED_TASK, toCreated, toCreated2025, toTask, toTask2025 } from "./wire.ts";

/** Of the extension of 2026-07-28. */
const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** What a server says that it can do with tasks: before 2026-07-28, and since. The SDK tells each era its own. */
export const TASK_CAPABILITIES = {
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { [TASKS_EXTENSION]: {} },
} as const;

/** Whether a request says that its client takes tasks for results. */
function takesTasks(capabilities: ClientCapabilities | undefined, { mcpReq }: CallContext): boolean {
  return mcpReq.envelope !== undefined && capabilities?.extensions?.[TASKS_EXTENSION] !== undefined;
}

/** A call that waits, for a client that takes tasks. Undefined when it is not to be one. */
export function taskOf(
  { tasks }: Serving,
  caller: Caller,
  wanted: Wanted,
  ctx: CallContext,
  result: ToolResult,
): Result | undefined {
  if (tasks === undefined || !takesTasks(caller.capabilities(ctx), ctx)) return undefined;
  const task = tasks.adopt(result, wanted, caller);
  return task && toCreated(task, result.waiting?.note);
}

/** A call that its client wants as a task, as before 2026-07-28. */
export function beginTask(
  server: Server,
  { tasks }: Serving & { tasks: Tasks },
  caller: Caller,
  wanted: Wanted,
  ttl: unknown,
): Result {
  let last = "working";
  const tell = async (task: Task) => {
    const state = await tasks.seen(task, caller, server.getClientCapabilities());
    const told = toTask2025(task, state, tasks.updatedAt(task));
    if (told.status === last) return;
    last = told.status;
    await server.notification({ method: "notifications/tasks/status", params: told } as never);
  };
  const ttlMs = typeof ttl === "number" && Number.isFinite(ttl) ? ttl : undefined;
  const task = tasks.begin(wanted, caller, ttlMs, (each) => void tell(each).catch(() => {}));
  return toCreated2025(task);
}

/** Serves what clients ask of tasks, in both eras. */
export function serveTasks(server: Server, serving: Serving & { tasks: Tasks }, caller: Caller): void {
  const { tasks } = serving;
  const told = (task: Task, result: ToolResult) =>
    toldResult(server, serving, caller, caller.view.source.get(task.name), result);
  const handle = (method: string, work: (task: Task, ctx: ServerContext) => Promise<Result>) =>
    server.setRequestHandler(
      method as "tasks/get",
      { params: TASK_ID } as never,
      (async ({ taskId }: { taskId: string }, ctx: ServerContext) => {
        checkExtension(caller, ctx);
        return work(tasks.open(taskId, caller), ctx);
      }) as never,
    );
  handle("tasks/get", async (task, ctx) => {
    const state = await tasks.look(task, caller, caller.capabilities(ctx));
    const at = tasks.updatedAt(task);
    return ctx.mcpReq.envelope === undefined
      ? toTask2025(task, state, at)
      : toTask(task, state, at, (result) => told(task, result));
  });
  handle("tasks/cancel", async (task, ctx) => {
    const isCancelled = await tasks.cancel(task, caller);
    if (ctx.mcpReq.envelope !== undefined) return {};
    if (!isCancelled) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The task is over already.");
    return toTask2025(task, { status: "cancelled" }, tasks.updatedAt(task));
  });
  handle("tasks/update", async (task, ctx) => {
    if (ctx.mcpReq.envelope === undefined)
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    const responses = ctx.mcpReq.inputResponses ?? {};
    const state = await tasks.look(task, caller, caller.capabilities(ctx));
    for (const asked of state.status === "input_required" ? state.asked : []) {
      const response = Object.hasOwn(responses, asked.key) ? responses[asked.key] : undefined;
      if (response !== undefined) await tasks.answer(task, caller, asked, response as never);
    }
    return {};
  });
  handle("tasks/result", async (task, ctx) => {
    const result = told(task, await untilOver(tasks, task, caller, ctx));
    return { ...result, _meta: { ...result._meta, [RELATED_TASK]: { taskId: task.id } } };
  });
  server.setRequestHandler(
    "tasks/list" as "tasks/get",
    { params: ANYTHING } as never,
    (async (_: unknown, ctx: ServerContext) => {
      const all = tasks.list(caller).map(async (task) => {
        const state = await tasks.seen(task, caller, caller.capabilities(ctx));
        return toTask2025(task, state, tasks.updatedAt(task));
      });
      return { tasks: await Promise.all(all) };
    }) as never,
  );
}

/** Waits for the end of a task, and asks its client for what it needs on the way, as before 2026-07-28. */
async function untilOver(tasks: Tasks, task: Task, caller: Caller, ctx: ServerContext): Promise<ToolResult> {
  const { signal } = ctx.mcpReq;
  /** Approvals that were put aside, or by somebody whose word does not count: they are not asked for again. */
  const refused = new Set<string>();
  while (!signal.aborted) {
    const state = await tasks.look(task, caller, caller.capabilities(ctx));
    if (state.status === "over") return state.result;
    if (state.status === "broken") throw new ProtocolError(ProtocolErrorCode.InternalError, state.message);
    if (state.status === "cancelled")
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "The task was cancelled.");
    const first = state.status === "working" ? undefined : state.asked.find(({ id }) => !refused.has(id));
    if (first === undefined) await tasks.change(task, signal);
    else if (!(await askFor(tasks, task, caller, ctx, first)) && first.sealed) refused.add(first.id);
  }
  throw new ProtocolError(ProtocolErrorCode.InternalError, "The request was given up.");
}

/** Whether the answer counts. A question is put to a client once at a time, however many requests wait for the task. */
async function askFor(
  tasks: Tasks,
  task: Task,
  caller: Caller,
  ctx: ServerContext,
  first: Asked,
): Promise<boolean> {
  const done = tasks.take(first.key);
  if (done === undefined) {
    await tasks.change(task, ctx.mcpReq.signal);
    return true;
  }
  try {
    const { method, params } = first.request;
    const _meta = { [RELATED_TASK]: { taskId: task.id } };
    const request = { method, params: { ...params, _meta } };
    const response = await ctx.mcpReq.send(request as never, ANYTHING as never, {
      timeout: tasks.answerWithinMs,
      signal: ctx.mcpReq.signal,
    });
    return await tasks.answer(task, caller, first, response as never);
  } finally {
    done();
  }
}

function checkExtension(caller: Caller, ctx: ServerContext): void {
  if (ctx.mcpReq.envelope === undefined || takesTasks(caller.capabilities(ctx), ctx)) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

const ANYTHING = standard((value) => ({ value }));
const TASK_ID = standard((value) =>
  typeof (value as { taskId?: unknown }).taskId === "string"
    ? { value }
    : { issues: [{ message: "taskId must be a string" }] },
);

function standard(validate: (value: unknown) => unknown) {
  return { "~standard": { version: 1, vendor: "toolrig", validate } };
}
