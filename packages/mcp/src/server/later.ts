import type { ReadResourceResult, ResourceLink } from "@modelcontextprotocol/server";
import { type CallOptions, type ToolResult, textOf } from "@toolrig/core";
import type { Serving, Wanted } from "./call.ts";
import { type Caller, callOptionsOf } from "./caller.ts";

const SCHEME = "toolrig://call/";
const MAX_ARGUMENTS = 16_000;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** What is needed to come back for a call that is not over. */
interface Later {
  /** Whose it is. */
  o: string;
  e: string;
  n: string;
  a: unknown;
}

/** How to come back for a call: by whom it was made for, and nobody else. Undefined when its arguments are too long for that. */
export function laterOf(
  { executionId }: ToolResult,
  { name, args }: Wanted,
  { owner }: Caller,
  { seal }: Serving,
): string | undefined {
  const later: Later = { o: owner, e: executionId, n: name, a: args };
  if ((JSON.stringify(args)?.length ?? 0) > MAX_ARGUMENTS) return undefined;
  return seal.close(later, Date.now() + KEPT_MS);
}

function openLater(sealed: string, { owner }: Caller, { seal }: Serving): Later | undefined {
  const later = seal.open(sealed) as Later | undefined;
  return later?.o === owner ? later : undefined;
}

/** Comes back for it: its result, or what it waits for still. */
function comeBack({ e, n, a }: Later, caller: Caller, { parts }: Serving): Promise<ToolResult> {
  const options: CallOptions = { ...callOptionsOf(caller), executionId: e, onWaiting: "return" };
  return parts.executor.call({ id: e, name: n, arguments: a }, options);
}

export function laterLink(sealed: string): ResourceLink {
  return {
    type: "resource_link",
    uri: SCHEME + sealed,
    name: "result",
    description: "The result of this call, once there is one. Reading it tells what it still waits for.",
    mimeType: "text/plain",
  };
}

/** Undefined when the URI is not of a call that this client was told to come back for. */
export async function readLater(
  uri: string,
  caller: Caller,
  serving: Serving,
): Promise<ReadResourceResult | undefined> {
  if (!uri.startsWith(SCHEME)) return undefined;
  const later = openLater(uri.slice(SCHEME.length), caller, serving);
  if (later === undefined) return undefined;
  const { content } = await comeBack(later, caller, serving);
  return { contents: [{ uri, mimeType: "text/plain", text: textOf(content) }] };
}
