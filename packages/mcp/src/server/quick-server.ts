import {
  type CallToolResult,
  type InputRequiredResult,
  type JSONRPCRequest,
  type Result,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

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
    ctx: ServerContext,
  ) => Promise<CallToolResult | InputRequiredResult> | undefined;

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, handler);
    if (method !== "tools/call") return checked;
    return (request, ctx) => {
      const params = plainParams(request, ctx);
      const quick = params === undefined ? undefined : this.quickly?.(params, ctx);
      return quick ?? checked(request, ctx);
    };
  }
}

function plainParams({ params }: JSONRPCRequest, { mcpReq }: ServerContext): CallParams | undefined {
  if (mcpReq.inputResponses !== undefined || mcpReq.requestState() !== undefined) return undefined;
  const { name, arguments: args, task } = (params ?? {}) as Record<string, unknown>;
  const isPlain = args === undefined || (typeof args === "object" && args !== null && !Array.isArray(args));
  return typeof name === "string" && isPlain && task === undefined ? (params as never) : undefined;
}
