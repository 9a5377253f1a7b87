import { setTimeout as pause } from "node:timers/promises";
import { type CallToolResult, type ElicitRequest, ProtocolError } from "@modelcontextprotocol/client";
import { failure, type WaitContext } from "@toolrig/core";
import type { AdmittedTool } from "../defence/admit.ts";
import { cleanLine } from "../defence/clean-text.ts";
import { outcomeOf } from "../wire/from-mcp-content.ts";
import { refusedRequest } from "./call.ts";
import { MAX_QUESTIONS } from "./calls-under-way.ts";
import type { Connection } from "./connection.ts";
import type { Session } from "./session.ts";
import { cancelTask, REQUEST_MS, unknownTask } from "./task.ts";

/** A task of the extension of 2026-07-28: what it asks and what it came to come with how it stands. */
interface Task {
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: unknown;
  result?: CallToolResult;
  error?: { message?: unknown };
  inputRequests?: Record<string, { method?: unknown; params?: unknown }>;
}

/** A task that was told what it asked may be over soon. */
const SOON_MS = 200;

/** The result of a task, or undefined while there is none. What it asks is asked of the person behind the call. */
export async function checkTask(
  connection: Connection,
  tool: AdmittedTool,
  ref: unknown,
  context: WaitContext,
  isSecond = false,
): Promise<unknown> {
  const session = await connection.session(context.signal);
  try {
    const options = { signal: context.signal, timeout: REQUEST_MS };
    const task = await session.request<Task>("tasks/get", { taskId: ref }, options);
    const { status, statusMessage, error } = task;
    if (typeof statusMessage === "string") context.update(cleanLine(statusMessage, 500));
    if (status === "completed") return outcome(connection, tool, task);
    if (status === "input_required") {
      const answered = await answer(connection, session, ref, task, context);
      if (answered !== "told" || isSecond) return answered === "told" ? undefined : answered;
      await pause(SOON_MS);
      return await checkTask(connection, tool, ref, context, true);
    }
    if (status === "cancelled")
      return failure({ code: "TOOL_CANCELLED", message: `${connection.name} cancelled it.` });
    if (status === "failed")
      return failure(`${connection.name}: ${cleanLine(String(error?.message), 2_000)}`);
    return undefined;
  } catch (error) {
    if (!ProtocolError.isInstance(error)) throw error;
    return unknownTask(connection, error);
  }
}

/** What the server says it came to has been seen by nobody yet. */
function outcome({ name, server }: Connection, { outputSchema }: AdmittedTool, { result }: Task): unknown {
  try {
    return outcomeOf(name, result ?? { content: [] }, outputSchema !== undefined, server.limits.result);
  } catch {
    return failure({ code: "TOOL_OUTPUT_INVALID", message: `${name} gave something that is no result.` });
  }
}

/** Passes on what has been answered ("told"). What is not given to servers ends the call. */
async function answer(
  connection: Connection,
  session: Session,
  ref: unknown,
  { inputRequests }: Task,
  context: WaitContext,
): Promise<unknown> {
  const requests = Object.entries(inputRequests ?? {});
  const refused = requests.find(([, request]) => request?.method !== "elicitation/create");
  if (refused !== undefined || requests.length > MAX_QUESTIONS) {
    await cancelTask(connection, ref, context).catch(() => {});
    if (refused !== undefined) return refusedRequest(connection.name, String(refused[1]?.method));
    return failure(`${connection.name} asks ${requests.length} questions at once.`);
  }
  const inputResponses: Record<string, unknown> = {};
  for (const [key, { params }] of requests) {
    const asked = params as ElicitRequest["params"];
    const answered = await connection.taskQuestions.answer(String(ref), context, asked, key);
    // A person is asked one thing after the other.
    if (answered === undefined) break;
    inputResponses[key] = answered;
  }
  if (Object.keys(inputResponses).length === 0) return undefined;
  const options = { signal: context.signal, timeout: REQUEST_MS };
  await session.request("tasks/update", { taskId: ref, inputResponses }, options);
  for (const [key, { params }] of requests)
    if (Object.hasOwn(inputResponses, key))
      connection.taskQuestions.delivered(String(ref), params as ElicitRequest["params"], key);
  return "told";
}
