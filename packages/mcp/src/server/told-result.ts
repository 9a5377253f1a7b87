import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";
import type { AnyTool, ToolResult } from "@toolrig/core";
import { definitionIn, isWaiting } from "@toolrig/core/kit";
import { errorIn } from "../wire/carried.ts";
import type { UriOf } from "../wire/to-mcp-content.ts";
import { toMcpResult } from "../wire/to-mcp-result.ts";
import { artifactLink, bytesUri } from "./artifacts.ts";
import type { Serving } from "./call.ts";
import type { Caller } from "./caller.ts";

/** What a client is told of a call, as its era has it: structured where the tool says what it gives. */
export function toldResult(
  server: Server,
  { seal }: Serving,
  { view, owner }: Caller,
  tool: AnyTool | undefined,
  result: ToolResult,
): CallToolResult {
  const schema = tool && definitionIn(view.source, tool).outputSchema;
  const uriOf: UriOf = (part) =>
    part.type === "resource" && part.artifact !== undefined
      ? bytesUri(part.artifact, part.mimeType, owner, seal)
      : view.behind.uriOf(part);
  const told = toMcpResult(result, schema !== undefined, uriOf);
  if (result.artifact !== undefined) told.content.push(artifactLink(result.artifact, owner, seal));
  return schema === undefined ? told : server.projectCallToolResult(told, schema);
}

/** The result of a call that succeeded; throws a `ProtocolError` for any other. Prompts and resources have no result that reports a failure. */
export function succeeded(result: ToolResult): ToolResult {
  if (!result.isError && !isWaiting(result)) return result;
  const error = errorIn(result.failure?.details);
  if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
  const message = result.failure?.message ?? "It is not over yet.";
  const kind = result.failure?.kind;
  const code = kind === "validation" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  throw new ProtocolError(code, message, { executionId: result.executionId });
}
