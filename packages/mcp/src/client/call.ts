import { setTimeout as pause } from "node:timers/promises";
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type RequestOptions,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { deferred, failure, type ToolContext, ToolFailure, unavailable } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { AdmittedTool } from "../defence/admit.ts";
import { cleanMeta } from "../defence/clean-notes.ts";
import { cleanText } from "../defence/clean-text.ts";
import { outcomeOf } from "../wire/from-mcp-content.ts";
import { failureOfError, lossOf } from "../wire/from-mcp-error.ts";
import { askFor, MAX_QUESTIONS } from "./calls-under-way.ts";
import type { Connection } from "./connection.ts";
import { askClientFor, GIVEN } from "./give.ts";
import { whenAuthorized } from "./oauth/question.ts";
import { paced } from "./paced.ts";
import { type Session, taskIn } from "./session.ts";

/** Characters of one note of progress. */
const MAX_MESSAGE = 2_000;
/** How often a server may want to be asked again before it answers. */
const MAX_ROUNDS = 20;
/** Before a server that wants nothing but to be asked again is. */
const PACE_MS = 250;
/** How often a call that may be repeated is sent again because its connection was lost. */
const MAX_RESENDS = 2;

/**
 * A call of a server's tool. When the connection is lost before the answer came, it is sent again if it never got there, or if
 * the tool may be repeated; otherwise its outcome is unknown.
 */
export async function callTool(
  connection: Connection,
  tool: AdmittedTool,
  args: unknown,
  context: ToolContext,
  mayRepeat: boolean,
): Promise<unknown> {
  const { trace } = context;
  const params = {
    name: tool.own,
    arguments: args as Record<string, unknown>,
    ...(trace !== undefined && { _meta: { ...trace } }),
  };
  const request: Request = {
    what: tool.own,
    send: (session, more, options) => session.call({ ...params, ...more }, definitionOf(tool), options),
  };
  const { answer, session } = await answerTo(connection, request, context, mayRepeat);
  const result = answer as CallToolResult;
  const task = session.hasTasks ? taskIn(result) : undefined;
  if (task !== undefined) return deferred({ ref: task.taskId, note: `${connection.name} works on it` });
  return outcomeOf(connection.name, result, tool.outputSchema !== undefined, connection.server.limits.result);
}

/** A request that a call makes of its server. */
export interface Request {
  /** What is asked for, in messages: the server's own name of a tool. */
  readonly what: string;
  /** `more`: what the server wanted to know. */
  send(session: Session, more: Record<string, unknown>, options: RequestOptions): Promise<object>;
}

/** The server's answer, and the session that it came by. Rejects with the failure of the call. */
export async function answerTo(
  connection: Connection,
  request: Request,
  context: ToolContext,
  mayRepeat: boolean,
): Promise<{ answer: object; session: Session }> {
  let isAsked = false;
  for (let sent = 0; ; sent++) {
    const session = await connection.session(context.signal);
    try {
      return { answer: await rounds(connection, session, request, context), session };
    } catch (error) {
      context.signal.throwIfAborted();
      if (ToolFailure.isInstance(error)) throw error;
      if (!isAsked && (await isAuthorized(connection, error, context))) {
        isAsked = true;
        continue;
      }
      const loss = lossOf(error);
      if (loss === "unclear" && !mayRepeat) throw unclearOutcome(connection.name, request.what, error);
      if (loss === "none" || loss === "unclear") throw failureOfError(connection.name, error);
      if (loss === "unsent") connection.lost(session);
      if (loss === "open") doubt(connection, session);
      if (loss === "open" && !mayRepeat) throw unknownOutcome(connection.name, request.what);
      if (sent === MAX_RESENDS) throw unavailable(failureOfError(connection.name, error).message);
    }
  }
}

/** Whether a server is there when one of its streams has broken off is seen by asking it for something. */
function doubt(connection: Connection, session: Session): void {
  connection.refresh().catch((error) => {
    if (lossOf(error) !== "none") connection.lost(session);
  });
}

/** A server that wants to see more than it was shown has refused the call: when somebody has authorized that, it is sent again. */
async function isAuthorized(connection: Connection, error: unknown, context: ToolContext): Promise<boolean> {
  const flow = UnauthorizedError.isInstance(error) ? connection.oauth?.flow : undefined;
  if (flow === undefined) return false;
  await whenAuthorized(connection, flow, context);
  return true;
}

function unknownOutcome(connection: string, tool: string) {
  const message = `The connection to ${connection} was lost while ${tool} ran. What it does may have happened; verify before you try again.`;
  return failure({ code: "TOOL_OUTCOME_UNKNOWN", message });
}

function unclearOutcome(connection: string, tool: string, error: unknown) {
  const { message: said } = failureOfError(connection, error);
  const message = `${said} What ${tool} does may have happened; verify before you try again.`;
  return failure({ code: "TOOL_OUTCOME_UNKNOWN", message });
}

/** Sends the request, and sends it again with what the server wanted to know, until there is a result. */
async function rounds(
  connection: Connection,
  session: Session,
  request: Request,
  context: ToolContext,
): Promise<object> {
  let more: Record<string, unknown> = {};
  let questions = 0;
  for (let round = 0; round <= MAX_ROUNDS; round++) {
    const answer = await send(connection, session, request, more, context);
    if (!isInputRequiredResult(answer)) return answer;
    // A server has done nothing before its first question; after that, what it did is not done again.
    if (round > 0) context.effect(sentTo(connection, request));
    questions += Object.keys(answer.inputRequests ?? {}).length;
    if (questions > MAX_QUESTIONS)
      throw failure(
        `${connection.name} asked over ${MAX_QUESTIONS} questions in one call of ${request.what}.`,
      );
    more = await answersTo(connection, answer, context);
  }
  throw failure(`${connection.name} had no answer after ${MAX_ROUNDS} rounds.`);
}

async function send(
  connection: Connection,
  session: Session,
  request: Request,
  more: Record<string, unknown>,
  context: ToolContext,
): Promise<object> {
  const done = connection.underWay.add(context);
  const pace = paced();
  try {
    return await request.send(session, more, {
      signal: context.signal,
      onprogress: ({ progress, total, message, ...rest }) => {
        if (!pace()) return;
        const meta = cleanMeta((rest as { _meta?: unknown })._meta);
        context.update({
          ...(message !== undefined && { content: cleanText(message.slice(0, MAX_MESSAGE)).text }),
          ...(total !== undefined && total > 0 && { progress: Math.min(1, Math.max(0, progress / total)) }),
          details: { progress, ...defined({ total, meta }) },
        });
      },
    });
  } finally {
    done();
  }
}

/** What the SDK needs of a tool: which of its parameters are repeated as headers. */
const definitionOf = ({ own, inputSchema }: AdmittedTool) =>
  ({ name: own, inputSchema }) as Parameters<Session["call"]>[1];

const sentTo = ({ name }: Connection, { what }: Request) =>
  ({ type: "custom", name: "mcp.call", data: { connection: name, tool: what } }) as const;

async function answersTo(
  { name, server }: Connection,
  { inputRequests = {}, requestState }: InputRequiredResult,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const inputResponses: Record<string, unknown> = {};
  for (const [key, request] of Object.entries(inputRequests)) {
    const give = GIVEN[request.method];
    if (give !== undefined && server.give?.includes(give) === true)
      inputResponses[key] = await askClientFor(name, context, give, request.params);
    else if (request.method === "elicitation/create")
      inputResponses[key] = await askFor(name, context, request.params);
    else throw refusedRequest(name, String(request.method));
  }
  if (Object.keys(inputResponses).length === 0) await pause(PACE_MS);
  return {
    ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
    ...defined({ requestState }),
  };
}

export function refusedRequest(connection: string, method: string) {
  const what =
    method === "sampling/createMessage"
      ? "a model's answer"
      : method === "roots/list"
        ? "a list of folders"
        : method;
  return failure({
    kind: "denied",
    message: `${connection} asked for ${what}, which is not given to servers.`,
  });
}
