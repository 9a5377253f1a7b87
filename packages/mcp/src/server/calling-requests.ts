import {
  type InputRequiredResult,
  isInputRequiredResult,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { defined, isRecord } from "@toolrig/core/kit";
import { askClient } from "./ask-2025.ts";
import { type CallContext, cancelWaiting, type Serving } from "./call.ts";
import { callAsTask, callTool, hasTasks } from "./call-tool.ts";
import type { Caller } from "./caller.ts";
import { getPrompt } from "./get-prompt.ts";
import { readResource } from "./read-resource.ts";

/** The revision that a connection speaks: from 2026-07-28 on (modern), or before. */
export type Era = "modern" | "legacy";

/** Of a request, what its answer needs. The SDK's context is one. */
export interface RequestContext {
  readonly mcpReq: CallContext["mcpReq"] & Pick<ServerContext["mcpReq"], "id">;
  readonly http?: CallContext["http"] | undefined;
  /** Aborts the signal. Absent where only the SDK can. */
  readonly controller?: AbortController;
}

/** Answers the requests that make calls. Throws a `ProtocolError` for every other method. */
export type CallingHandler = (
  request: Pick<JSONRPCRequest, "method" | "params">,
  ctx: RequestContext,
) => Promise<Result>;

type Params = Readonly<Record<string, unknown>>;
type Answer = (params: Params, ctx: CallContext) => Promise<Result | InputRequiredResult>;

const METHODS = ["tools/call", "prompts/get", "resources/read"] as const;
type Method = (typeof METHODS)[number];

export function makesCalls(method: unknown): method is Method {
  return (METHODS as readonly unknown[]).includes(method);
}

/**
 * The one path from a request to a call, for every transport and both eras. The SDK hands requests over by its fallback handler,
 * with framing, envelope and cancellation checked. A handler for `tools/call` would make it parse each request twice and each result
 * once; here params are checked by hand, arguments by the tool's schema, and results are built by this package.
 */
export function callingHandler(
  server: Server,
  serving: Serving,
  caller: Caller,
  era: Era,
  onError: (error: Error) => void,
): CallingHandler {
  const answers: Readonly<Record<Method, Answer>> = {
    async "tools/call"({ name, arguments: args, task }, ctx) {
      const tool = textIn("tools/call", "name", name);
      if (args !== undefined && !isRecord(args)) throw wrong("tools/call", "arguments must be an object");
      if (task === undefined || era === "modern" || !hasTasks(serving))
        return callTool(server, serving, caller, tool, args, ctx);
      if (!isRecord(task)) throw wrong("tools/call", "task must be an object");
      return callAsTask(server, serving, caller, tool, args, task);
    },
    async "prompts/get"({ name, arguments: args }, ctx) {
      if (args !== undefined && !(isRecord(args) && Object.values(args).every(isText)))
        throw wrong("prompts/get", "arguments must be an object of strings");
      return getPrompt(serving, caller, textIn("prompts/get", "name", name), args, ctx);
    },
    "resources/read": async ({ uri }, ctx) =>
      readResource(serving, caller, textIn("resources/read", "uri", uri), ctx),
  };
  const open = (sealed: unknown): unknown => {
    const state = isText(sealed) ? serving.seal.open(sealed) : undefined;
    if (state !== undefined) return state;
    onError(
      new Error("A requestState was refused: it was changed, is too old or was sealed by another server."),
    );
    const reason = { reason: "invalid_request_state" };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", reason);
  };
  return async ({ method, params = {} }, { mcpReq, http, controller }) => {
    if (!makesCalls(method)) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    const { _meta, inputResponses, notify } = mcpReq;
    const sealed: unknown = mcpReq.requestState();
    const state = sealed === undefined ? undefined : open(sealed);
    return serving.underWay.run(controller ?? mcpReq.signal, async (signal) => {
      const contextWith = (given: typeof inputResponses, opened: unknown): CallContext => ({
        mcpReq: {
          ...defined({ _meta, inputResponses: given }),
          // A client before 2026-07-28 has declared its capabilities at initialize; an envelope of its making does not count.
          ...(era === "modern" && defined({ envelope: mcpReq.envelope })),
          notify,
          signal,
          requestState: (() => opened) as CallContext["mcpReq"]["requestState"],
        },
        ...defined({ http }),
      });
      const answer = answers[method];
      const first = await answer(params, contextWith(inputResponses, state));
      if (era === "modern" || !isInputRequiredResult(first)) return first;
      let asked = first.requestState;
      const goOn = async (responses: typeof inputResponses, requestState: unknown) => {
        const next = await answer(params, contextWith(responses, open(requestState)));
        if (isInputRequiredResult(next)) asked = next.requestState;
        return next;
      };
      try {
        return await askClient(server, method, mcpReq, signal, serving.answerWithinMs, first, goOn);
      } catch (error) {
        // What waits in the stores does not hear of the signal.
        if (isGivenUp(signal)) await cancelWaiting(serving, open(asked));
        throw error;
      }
    });
  };
}

/** Whether the client itself cancelled the request: a connection that ended leaves what waits to whoever answers elsewhere. */
function isGivenUp({ aborted, reason }: AbortSignal): boolean {
  return aborted && (!(reason instanceof Error) || reason.name === "AbortError");
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function textIn(method: Method, key: string, value: unknown): string {
  if (isText(value)) return value;
  throw wrong(method, `${key} must be a string`);
}

function wrong(method: Method, problem: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid ${method} request: ${problem}.`);
}
