import {
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { Identity } from "./caller.ts";
import type { RequestContext } from "./calling-requests.ts";
import type { Connection } from "./connection.ts";
import { type Accepted, acceptedBy, answerDirectly, isPlainCall } from "./direct-calls.ts";

/** Calls since 2026-07-28 over HTTP that the SDK need not see: those whose answer is one message, whatever the tool tells meanwhile. */
export class DirectHttp {
  readonly #accepted = new WeakMap<Identity, Accepted>();

  learnFrom(connection: Connection, identity: Identity): void {
    connection.onCall = (ctx) => {
      if (ctx.controller === undefined && isQuiet(ctx))
        this.#accepted.set(identity, acceptedBy(connection, ctx));
    };
  }

  /** Undefined when it is the SDK's to answer. */
  answer(request: Request, identity: Identity, body: unknown): Promise<Response> | undefined {
    const accepted = this.#accepted.get(identity);
    if (accepted === undefined || !isPlainCall(body)) return undefined;
    if (request.signal.aborted || !saysTheSame(request, accepted, body.params.name)) return undefined;
    const controller = new AbortController();
    const answer = answerDirectly(accepted, body, controller, untold, { req: request });
    return answer === undefined ? undefined : this.#responseTo(request, answer, controller);
  }

  async #responseTo(
    { signal }: Request,
    answer: NonNullable<ReturnType<typeof answerDirectly>>,
    controller: AbortController,
  ): Promise<Response> {
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort, { once: true });
    const told = await answer;
    signal.removeEventListener("abort", abort);
    if (signal.aborted) return new Response(null, { status: 499 });
    return Response.json(told, { status: "error" in told ? statusOf(told.error.code) : 200 });
  }
}

/** Nothing is told of it but its answer: neither progress nor logs were asked for. */
function isQuiet({ mcpReq: { _meta, envelope } }: RequestContext): boolean {
  if (envelope === undefined) return false;
  return !(LOG_LEVEL_META_KEY in envelope) && _meta?.progressToken === undefined;
}

const untold = async () => {};
const PLAIN_NAME = /^[\w./-]+$/;

/** What the headers must repeat of the message. One that they have to spell out otherwise is left to the SDK. */
function saysTheSame({ headers }: Request, { envelope }: Accepted, name: unknown): boolean {
  const { [PROTOCOL_VERSION_META_KEY]: version } = envelope as Record<string, unknown>;
  return (
    headers.get("mcp-protocol-version") === version &&
    headers.get("mcp-method") === "tools/call" &&
    typeof name === "string" &&
    headers.get("mcp-name") === name &&
    PLAIN_NAME.test(name) &&
    !headers.has("mcp-session-id")
  );
}

/** The one error of a call that shows in the status, as MCP wants it. */
function statusOf(code: number): number {
  return code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
}
