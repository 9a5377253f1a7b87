import { type CallToolResult, ProtocolError } from "@modelcontextprotocol/client";
import { deferred, failure, type ToolContext, type WaitContext } from "@toolrig/core";
import type { AdmittedTool } from "../defence/admit.ts";
import { cleanLine } from "../defence/clean-text.ts";
import { outcomeOf } from "../wire/from-mcp-content.ts";
import { failureOfError, lossOf } from "../wire/from-mcp-error.ts";
import type { Connection } from "./connection.ts";
import type { Session } from "./session.ts";

/** A task of a server of the 2025 era: the call goes on there, and its result is asked for. */
interface Task {
  taskId: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: string;
}

/** How long a server keeps the result. As long as it is waited for. */
const TTL_MS = 24 * 3_600_000;
export const REQUEST_MS = 30_000;

/** Starts a call that the server wants to be asked about later. */
export async function startTask(
  connection: Connection,
  tool: AdmittedTool,
  args: unknown,
  { signal, trace }: ToolContext,
): Promise<ReturnType<typeof deferred>> {
  const session = await connection.session(signal);
  const own = { name: tool.own, arguments: args, task: { ttl: TTL_MS } };
  const params = trace === undefined ? own : { ...own, _meta: { ...trace } };
  try {
    const { task } = await session.request<{ task?: Task }>("tools/call", params, {
      signal,
      timeout: REQUEST_MS,
    });
    if (typeof task?.taskId !== "string") throw new Error("it answered without a task");
    return deferred({ ref: task.taskId, note: `${connection.name} works on it` });
  } catch (error) {
    signal.throwIfAborted();
    const loss = lossOf(error);
    if (loss === "none" || loss === "unsent") throw failureOfError(connection.name, error);
    const message = `What became of ${tool.own} at ${connection.name} is not known; verify before you try again.`;
    throw failure({ code: "TOOL_OUTCOME_UNKNOWN", message });
  }
}

/** The result of a task, or undefined while there is none. A server that no longer knows it leaves its outcome open. */
export async function checkTask(
  connection: Connection,
  tool: AdmittedTool,
  ref: unknown,
  context: WaitContext,
): Promise<unknown> {
  const session = await connection.session(context.signal);
  const options = { signal: context.signal, timeout: REQUEST_MS };
  try {
    const { status, statusMessage } = await session.request<Task>("tasks/get", { taskId: ref }, options);
    if (typeof statusMessage === "string") context.update(cleanLine(statusMessage, 500));
    if (status === "working") return undefined;
    if (status === "cancelled")
      return failure({ code: "TOOL_CANCELLED", message: `${connection.name} cancelled it.` });
    if (status === "input_required") return await askMeanwhile(connection, session, String(ref), context);
    const result = await session.request<CallToolResult>("tasks/result", { taskId: ref }, options);
    return outcomeOf(
      connection.name,
      result,
      tool.outputSchema !== undefined,
      connection.server.limits.result,
    );
  } catch (error) {
    if (!ProtocolError.isInstance(error)) throw error;
    return unknownTask(connection, error);
  }
}

export function unknownTask({ name }: Connection, { message }: Error): unknown {
  const told = `${name} says of the task: ${cleanLine(message, 300)}. What it does may have happened.`;
  return failure({ code: "TOOL_OUTCOME_UNKNOWN", message: told });
}

/** What a task asks comes while somebody waits for its result. */
async function askMeanwhile(
  { taskQuestions }: Connection,
  session: Session,
  taskId: string,
  context: WaitContext,
): Promise<undefined> {
  const open = await taskQuestions.openOf(taskId, () =>
    session.request("tasks/result", { taskId }, { timeout: TTL_MS }),
  );
  const answered = open && (await taskQuestions.answer(taskId, context, open.asked, open.key));
  if (answered !== undefined) open?.answer(answered);
}

export async function cancelTask(
  connection: Connection,
  ref: unknown,
  { signal }: WaitContext,
): Promise<void> {
  const session = await connection.session(signal);
  await session.request("tasks/cancel", { taskId: ref }, { signal, timeout: REQUEST_MS });
}
