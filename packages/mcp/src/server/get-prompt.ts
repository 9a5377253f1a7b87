import {
  type GetPromptResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { definitionIn } from "@toolrig/core/kit";
import type { UriOf } from "../wire/to-mcp-content.ts";
import { bytesUri } from "./artifacts.ts";
import { type CallContext, callFor, type Serving } from "./call.ts";
import type { Caller } from "./caller.ts";
import { toCarriedPrompt, toPromptResult } from "./prompts.ts";
import { succeeded } from "./told-result.ts";

/** Answers `prompts/get`. Throws a `ProtocolError` for a prompt that the caller's view does not have, and for a call that failed. */
export async function getPrompt(
  serving: Serving,
  caller: Caller,
  name: string,
  args: unknown,
  ctx: CallContext,
): Promise<GetPromptResult | InputRequiredResult> {
  const { view } = caller;
  const tool = view.isPrompt(name) ? view.source.get(name) : undefined;
  const behind = tool === undefined ? view.behind.prompt(name, args) : undefined;
  const { executor } = serving.parts;
  if (behind !== undefined) {
    const wanted = { method: "prompts/get", name: behind.tool, args: behind.args, executor };
    const result = await callFor(serving, caller, wanted, ctx);
    if (isInputRequiredResult(result)) return result;
    const uriOf: UriOf = (part) =>
      part.type === "resource" && part.artifact !== undefined
        ? bytesUri(part.artifact, part.mimeType, caller.owner, serving.seal)
        : view.behind.uriOf(part);
    return toCarriedPrompt(succeeded(result), uriOf, serving.parts.artifacts);
  }
  if (tool === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name.slice(0, 100)}".`);
  const wanted = { method: "prompts/get", name, args: args ?? {}, executor };
  const result = await callFor(serving, caller, wanted, ctx);
  if (isInputRequiredResult(result)) return result;
  return toPromptResult(definitionIn(view.source, tool), succeeded(result));
}
