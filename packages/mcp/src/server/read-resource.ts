import {
  type InputRequiredResult,
  isInputRequiredResult,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { readArtifact } from "./artifacts.ts";
import { type CallContext, callFor, type Serving } from "./call.ts";
import type { Caller } from "./caller.ts";
import { toCarriedContents } from "./carried-contents.ts";
import { readLater } from "./later.ts";
import { toContents } from "./resources.ts";
import { succeeded } from "./told-result.ts";

/**
 * Answers `resources/read`: a resource that a tool reads, an artifact, or the result of a call that waited. Throws
 * `ResourceNotFoundError` for any other URI.
 */
export async function readResource(
  serving: Serving,
  caller: Caller,
  uri: string,
  ctx: CallContext,
): Promise<ReadResourceResult | InputRequiredResult> {
  const { parts, seal } = serving;
  for (const resource of caller.view.resources) {
    const args = caller.view.source.get(resource.tool) === undefined ? undefined : resource.match(uri);
    if (args === undefined) continue;
    const wanted = { method: "resources/read", name: resource.tool, args, executor: parts.executor };
    const result = await callFor(serving, caller, wanted, ctx);
    return isInputRequiredResult(result) ? result : toContents(uri, resource, succeeded(result));
  }
  const behind = caller.view.behind.resource(uri);
  if (behind !== undefined) {
    const wanted = {
      method: "resources/read",
      name: behind.tool,
      args: behind.args,
      executor: parts.executor,
    };
    const result = await callFor(serving, caller, wanted, ctx);
    if (isInputRequiredResult(result)) return result;
    return toCarriedContents(succeeded(result), uri, caller.view.behind.uriOf, parts.artifacts);
  }
  const artifact = parts.artifacts && (await readArtifact(uri, caller.owner, seal, parts.artifacts));
  const known = artifact ?? (await readLater(uri, caller, serving));
  if (known === undefined) throw new ResourceNotFoundError(uri);
  return known;
}
