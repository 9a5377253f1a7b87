import {
  type CallToolResult,
  type InputRequiredResult,
  type JSONRPCErrorResponse,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  ProtocolErrorCode,
  type RequestId,
  type Result,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { defined } from "@toolrig/core/kit";
import type { CallContext } from "./call.ts";
import type { UnderWay } from "./under-way.ts";

/** What a call names. */
export interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/**
 * The SDK's server, which checks every call twice and every result once with schemas of its own. Arguments are checked by the
 * tool's schema and results are made here, so a call that is plainly well-formed need not pay for that: `quickly` answers it,
 * or leaves it to the SDK by undefined. Calls that bring answers always go the SDK's way.
 */
export class QuickServer extends Server {
  quickly?: (
    params: CallParams,
    ctx: CallContext,
  ) => Promise<CallToolResult | InputRequiredResult> | undefined;
  /** Told of every call that the SDK has let through and that was answered quickly. */
  onQuick?: (ctx: ServerContext) => void;

  /** What the SDK would send for a call that it need not see; undefined when it must. Never rejects. */
  answer(
    id: RequestId,
    params: CallParams,
    ctx: CallContext,
  ): Promise<JSONRPCResultResponse | JSONRPCErrorResponse> | undefined {
    const quick = this.quickly?.(params, ctx);
    return quick === undefined ? undefined : this.#answerOf(id, quick);
  }

  async #answerOf(
    id: RequestId,
    quick: Promise<CallToolResult | InputRequiredResult>,
  ): Promise<JSONRPCResultResponse | JSONRPCErrorResponse> {
    const codec = this._wireCodec();
    try {
      const result = codec.encodeResult("tools/call", await quick, this._outboundServerInfo());
      return { jsonrpc: "2.0", id, result };
    } catch (thrown) {
      const { code, message = "Internal error", data } = thrown as Partial<JSONRPCErrorResponse["error"]>;
      const known = Number.isSafeInteger(code) ? (code as number) : ProtocolErrorCode.InternalError;
      const error = { code: codec.encodeErrorCode(known), message, ...defined({ data }) };
      return { jsonrpc: "2.0", id, error };
    }
  }

  /** Answers a call that its client wants as a task, which there is before 2026-07-28. */
  asTask?: (params: CallParams, task: object) => Promise<Result>;

  /** Told of every request that makes calls. */
  underWay?: UnderWay;

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, handler);
    const answer = method === "tools/call" ? this.#callHandler(checked) : checked;
    if (!CALLING.has(method)) return answer;
    return (request, ctx) => this.underWay?.run(ctx, (own) => answer(request, own)) ?? answer(request, ctx);
  }

  #callHandler(checked: Handler): Handler {
    return (request, ctx) => {
      const task = this.asTask && taskParams(request, ctx);
      if (task !== undefined) return this.asTask?.(task, task.task) ?? checked(request, ctx);
      const { mcpReq } = ctx;
      const isAnswer = mcpReq.inputResponses !== undefined || mcpReq.requestState() !== undefined;
      const quick =
        isAnswer || !isCallParams(request.params) ? undefined : this.quickly?.(request.params, ctx);
      if (quick === undefined) return checked(request, ctx);
      this.onQuick?.(ctx);
      return quick;
    };
  }
}

const CALLING: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** Of a call that its client does not want as a task. */
export function isCallParams(params: unknown): params is CallParams {
  return isPlain(params) && (params as { task?: unknown }).task === undefined;
}

/** Since 2026-07-28 the word means nothing. */
function taskParams(
  { params }: JSONRPCRequest,
  { mcpReq }: ServerContext,
): (CallParams & { readonly task: object }) | undefined {
  if (mcpReq.envelope !== undefined || !isPlain(params)) return undefined;
  const { task } = params as { task?: unknown };
  return typeof task === "object" && task !== null ? { ...params, task } : undefined;
}

function isPlain(params: unknown): params is CallParams {
  const { name, arguments: args } = (params ?? {}) as Record<string, unknown>;
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
  return typeof name === "string" && (args === undefined || isObject);
}
