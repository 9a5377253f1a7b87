import type { LangChainMessage } from "./shape.ts";

/** A command to the graph, as far as it is read. */
interface GraphCommand {
  update?: unknown;
  goto?: unknown;
  graph?: unknown;
  resume?: unknown;
}

/** What a command says about the call: the last message of a tool in its update. */
export function messageIn(command: object): LangChainMessage | undefined {
  return messagesOf(command).findLast(isToolMessage);
}

function messagesOf({ update }: GraphCommand): LangChainMessage[] {
  const entries = Array.isArray(update) ? update : Object.entries(update ?? {});
  const found = entries.find((entry) => Array.isArray(entry) && entry[0] === "messages")?.[1];
  const messages: unknown[] = Array.isArray(found) ? found : found === undefined ? [] : [found];
  return messages.flatMap((message) => (typeof message === "object" && message !== null ? [message] : []));
}

function isToolMessage(message: LangChainMessage): boolean {
  return message.tool_call_id !== undefined || wasToolMessage(message);
}

/** As LangChain writes messages. */
function wasToolMessage(message: object): boolean {
  const { id, kwargs } = message as { id?: unknown; kwargs?: { tool_call_id?: unknown } };
  return Array.isArray(id) && id.at(-1) === "ToolMessage" && kwargs?.tool_call_id !== undefined;
}

/** A command that is known by what was recorded of it, or whose message has been changed since: its message says `content`. */
export async function commandFrom(recorded: object, content: unknown): Promise<object> {
  const { Command } = await import("@langchain/langgraph");
  const { update, goto, graph, resume } = recorded as GraphCommand;
  const last = messagesOf(recorded).findLast(isToolMessage);
  const said = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(said);
    return value === last ? withContent(last as object, content) : value;
  };
  const changed = Array.isArray(update)
    ? update.map((entry) => (Array.isArray(entry) ? [entry[0], said(entry[1])] : entry))
    : Object.fromEntries(Object.entries(update ?? {}).map(([key, value]) => [key, said(value)]));
  return new Command({ update: changed, goto, graph, resume } as never);
}

function withContent(message: object, content: unknown): object {
  if (wasToolMessage(message)) {
    const { kwargs } = message as { kwargs: object };
    return { ...message, kwargs: { ...kwargs, content } };
  }
  const copy: object = Object.assign(Object.create(Object.getPrototypeOf(message)), message);
  return Object.assign(copy, { content });
}
