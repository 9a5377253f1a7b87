import { newId } from "@toolrig/core/kit";
import type { ChatResponse } from "./openai-chat.ts";

/** A chunk of a chat completion, by what is read of it. Servers that speak like OpenAI leave out what it always gives. */
export interface ChatEvent {
  choices?:
    | {
        index?: number;
        finish_reason?: string | null | undefined;
        delta?:
          | {
              content?: string | null | undefined;
              tool_calls?: ChatCallPart[] | null | undefined;
            }
          | null
          | undefined;
      }[]
    | null
    | undefined;
}

interface ChatCallPart {
  index?: number | null | undefined;
  id?: string | null | undefined;
  function?: { name?: string | null | undefined; arguments?: string | null | undefined } | null | undefined;
}

interface CollectedCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** The response that chunks come to. */
export async function collectChat(events: AsyncIterable<ChatEvent>): Promise<ChatResponse> {
  const calls = new Calls();
  let content = "";
  let finish: string | null = null;
  for await (const event of events) {
    const choice = event?.choices?.[0];
    content += choice?.delta?.content ?? "";
    finish = choice?.finish_reason ?? finish;
    for (const part of choice?.delta?.tool_calls ?? []) calls.add(part);
  }
  const whole = calls.all();
  const message = {
    role: "assistant" as const,
    content: content === "" && whole.length > 0 ? null : content,
    ...(whole.length > 0 && { tool_calls: whole }),
  };
  return { choices: [{ finish_reason: finish, message }] };
}

/** Calls in the order in which they began. */
class Calls {
  readonly #begun: CollectedCall[] = [];
  readonly #byIndex = new Map<number, CollectedCall>();

  add(part: ChatCallPart): void {
    const call = this.#callOf(part);
    const { name, arguments: args } = part.function ?? {};
    // Some servers give the name with every part.
    if (typeof name === "string" && name !== call.function.name) call.function.name += name;
    if (typeof args === "string") call.function.arguments += args;
  }

  all(): CollectedCall[] {
    return this.#begun.map((call) => ({ ...call, id: call.id || newId("call") }));
  }

  /** A part belongs to the call at its place, else to the last one; with an id that is not that call's, it begins another. */
  #callOf({ index, id }: ChatCallPart): CollectedCall {
    const known = typeof index === "number" ? this.#byIndex.get(index) : this.#begun.at(-1);
    const isOther = typeof id === "string" && id !== "" && known?.id !== "" && known?.id !== id;
    if (known !== undefined && !isOther) {
      known.id ||= id ?? "";
      return known;
    }
    const call: CollectedCall = { id: id ?? "", type: "function", function: { name: "", arguments: "" } };
    this.#begun.push(call);
    if (typeof index === "number") this.#byIndex.set(index, call);
    return call;
  }
}
