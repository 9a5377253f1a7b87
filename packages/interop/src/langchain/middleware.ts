import { unwrapped } from "../beneath/raw-arguments.ts";
import { contentOf, messageOf } from "./output.ts";
import { contentText } from "./reading.ts";
import {
  type LangChainCall,
  type LangChainConfig,
  type LangChainMessage,
  messagesIn,
  typeOf,
} from "./shape.ts";
import { seatOf, seatsOf } from "./to-langchain.ts";

/** What LangChain gives to whoever wraps a call, as far as it is read. */
interface ToolCallRequest {
  toolCall: LangChainCall;
  /** Absent for a tool that does not exist. */
  tool?: unknown;
  state: unknown;
  runtime: { configurable?: Record<string, unknown> | undefined; signal?: AbortSignal | undefined };
}

/**
 * For LangChain's `createAgent`: `middleware: [createMiddleware(middlewareFor(tools))]`. A call of a tool that does not exist goes
 * through the pipeline like any other, and the run ends when all results of a batch ask for it.
 */
export function middlewareFor(tools: readonly object[]) {
  const seats = seatsOf(tools);
  const names: ReadonlySet<unknown> = new Set(tools.map((tool) => "name" in tool && tool.name));
  return {
    name: "toolrig",
    // biome-ignore lint/suspicious/noExplicitAny: handlers and what they answer are LangChain's own
    async wrapToolCall(request: any, handler: (request: any) => any) {
      const { toolCall, tool, state, runtime }: ToolCallRequest = request;
      const { id = "", name, args } = toolCall;
      const answer = await handler(request);
      if (tool !== undefined || !isUnknown(answer, name)) return answer;
      // The rig may have the tool, and this agent not: it is not run.
      const config: LangChainConfig = { ...runtime, state };
      const seat = seatOf(seats, config);
      const result = await seat.refuse({ id, name, ...unwrapped(args) });
      if (result === undefined) return answer;
      seats.results.gave(seat, { callId: id, name, text: contentText(contentOf(result)) }, result);
      return messageOf(result, id, name);
    },
    beforeModel: {
      canJumpTo: ["end" as const],
      hook: (state: unknown) =>
        asksToEnd(messagesIn(state), names) ? { jumpTo: "end" as const } : undefined,
    },
  };
}

/** What LangChain answers for a tool that neither the agent nor another middleware has. */
function isUnknown(answer: unknown, name: string): boolean {
  const { status, content } = (answer ?? {}) as { status?: unknown; content?: unknown };
  return status === "error" && String(content).startsWith(`Error: ${name} is not a valid tool`);
}

/** Whether every result after the last answer of the model asks to end the run. Artifacts of other tools may say anything. */
function asksToEnd(messages: readonly LangChainMessage[], names: ReadonlySet<unknown>): boolean {
  const results = messages.slice(messages.findLastIndex((message) => typeOf(message) !== "tool") + 1);
  return results.length > 0 && results.every(({ name, artifact }) => names.has(name) && isEnd(artifact));
}

function isEnd(artifact: unknown): boolean {
  return (
    typeof artifact === "object" &&
    artifact !== null &&
    "terminate" in artifact &&
    artifact.terminate === true
  );
}
