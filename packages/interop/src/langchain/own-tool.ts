import { ToolMessage } from "@langchain/core/messages";
import { type ToolDefinition, type ToolResult, textOf } from "@toolrig/core";
import { carriedFields, defined } from "@toolrig/core/kit";
import { sourceOf } from "../beneath/live-loop.ts";
import type { OwnAnswer } from "./answer.ts";
import { commandFrom, messageIn } from "./command.ts";
import { LANGCHAIN, langChainFields } from "./fields.ts";
import { contentOf, messageOf } from "./output.ts";
import { contentText } from "./reading.ts";
import type { LangChainTool } from "./shape.ts";

/** A tool of LangChain that a rig's tool was made from, and what LangChain is given of it as it was. Undefined for any other tool. */
export function ownTool(
  definition: ToolDefinition,
): { source: LangChainTool; carried: Record<string, unknown> } | undefined {
  const own = sourceOf<LangChainTool>(LANGCHAIN, definition);
  if (own === undefined || !own.isOwn("execute")) return undefined;
  const carried = carriedFields(langChainFields, own.source);
  if (!own.isOwn("description") || definition.description !== own.description) delete carried.description;
  if (!own.isOwn("input")) delete carried.schema;
  return { source: own.source, carried };
}

/** What LangChain gets of a result: what the tool answered, where the result still says the same. */
export async function ownMessage(
  source: LangChainTool,
  result: ToolResult,
  own: OwnAnswer | undefined,
  id: string | undefined,
): Promise<unknown> {
  const { name, metadata } = source;
  const other = () => (id === undefined ? contentOf(result) : messageOf(result, id, name));
  const answer = own !== undefined && "answer" in own ? own.answer : undefined;
  if (result.stop !== undefined) return other();
  if (result.isError)
    return answer !== undefined && isOwnFailure(result, answer.message) ? answer.message : other();
  const command = answer === undefined ? recordedCommand(result) : commandIn(answer.content);
  if (command !== undefined) {
    const said = messageIn(command)?.content;
    const isSame =
      answer !== undefined && (said === undefined || textOf(result.content) === contentText(said));
    return isSame ? command : commandFrom(command, contentOf(result));
  }
  if (answer === undefined) return other();
  const told = (answer.message as { content?: unknown }).content ?? answer.content;
  if (isChanged(result, told)) return other();
  if (answer.message === answer.content) return answer.content;
  if (id === undefined) return answer.content;
  const { content, artifact } = answer;
  return new ToolMessage({
    status: "success",
    content: content as string,
    artifact,
    tool_call_id: id,
    name,
    ...defined({ metadata }),
  });
}

/** Whether a result says what the tool's own message about its failure does. */
function isOwnFailure({ failure, content, advice }: ToolResult, message: unknown): boolean {
  const { status, content: told } = message as { status?: unknown; content?: unknown };
  if (status !== "error" || failure?.code !== "TOOL_EXECUTION_FAILED" || advice !== undefined) return false;
  return failure.message === contentText(told) && textOf(content).endsWith(failure.message);
}

/** Whether the pipeline has told something else than the tool: what is no text is compared by its size. */
function isChanged({ content, artifact, advice }: ToolResult, told: unknown): boolean {
  if (artifact !== undefined || advice !== undefined) return true;
  return typeof told === "string" ? textOf(content) !== told : content.length !== (told as unknown[]).length;
}

function commandIn(content: unknown): object | undefined {
  return (content as { lg_name?: unknown } | null)?.lg_name === "Command" ? (content as object) : undefined;
}

/** A command of an earlier attempt or process, as the record has it. */
function recordedCommand({ value }: ToolResult): object | undefined {
  return commandIn(value);
}
