import type { ContentBlock } from "@modelcontextprotocol/client";
import { result } from "@toolrig/core";
import { defined, isRecord, type MarkedOutcome } from "@toolrig/core/kit";
import { cleanMeta } from "../defence/clean-notes.ts";
import { cleanLine, cleanText } from "../defence/clean-text.ts";
import { carrying } from "./carried.ts";
import { contentOf, labelsOf } from "./from-mcp-content.ts";

type Answer = Readonly<Record<string, unknown>>;

const MAX_DESCRIPTION = 8_000;
const MAX_VALUES = 100;
const MAX_VALUE = 1_000;

/** What a `resources/read` came to. */
export function readOf(connection: string, { contents, _meta }: Answer, longest: number): MarkedOutcome {
  const blocks = records(contents).map((resource) => ({ type: "resource", resource }));
  const content = contentOf(blocks.filter(isResource) as never, longest, connection);
  return result({
    content,
    labels: labelsOf(connection),
    ...defined({ details: carrying(defined({ meta: cleanMeta(_meta) })) }),
  });
}

/** What a `prompts/get` came to: a part for each message, and beside it whose message each is. */
export function promptOf(
  connection: string,
  { messages, description, _meta }: Answer,
  longest: number,
): MarkedOutcome {
  const given = records(messages).filter(({ content }) => isRecord(content) && isBlock(content));
  const roles = given.map(({ role }) => (role === "assistant" ? "assistant" : "user"));
  const blocks = given.map(({ content }) => content as unknown as ContentBlock);
  const about =
    typeof description === "string" ? cleanText(description.slice(0, MAX_DESCRIPTION)).text : undefined;
  const prompt = { roles, ...defined({ description: about }) };
  return result({
    content: contentOf(blocks, longest, connection),
    labels: labelsOf(connection),
    details: carrying({ prompt, ...defined({ meta: cleanMeta(_meta) }) }),
  });
}

/** What a `completion/complete` came to, within what the protocol allows. */
export function completionOf({ completion, _meta }: Answer) {
  const { values, total, hasMore } = isRecord(completion) ? completion : {};
  const given = Array.isArray(values)
    ? values.filter((each): each is string => typeof each === "string")
    : [];
  return {
    completion: {
      values: given.slice(0, MAX_VALUES).map((each) => cleanLine(each, MAX_VALUE)),
      ...(Number.isSafeInteger(total) && { total: total as number }),
      ...(typeof hasMore === "boolean" && { hasMore }),
    },
    ...defined({ _meta: cleanMeta(_meta) }),
  };
}

function records(list: unknown): Answer[] {
  return Array.isArray(list) ? list.filter((each): each is Answer => isRecord(each)) : [];
}

/** Nothing of these answers was checked by the SDK: what lacks what its kind needs is none. */
function isBlock(block: Answer): boolean {
  const { text, data, uri, name } = block;
  if (block.type === "text") return typeof text === "string";
  if (block.type === "image" || block.type === "audio") return typeof data === "string";
  if (block.type === "resource_link") return typeof uri === "string" && typeof name === "string";
  return block.type === "resource" && isResource(block);
}

function isResource({ resource }: Answer): boolean {
  if (!isRecord(resource) || typeof resource.uri !== "string") return false;
  return typeof resource.text === "string" || typeof resource.blob === "string";
}
