import { defined, sha256 } from "@toolrig/core/kit";
import type { ModelMessage } from "ai";
import type { Prompt } from "./language-model.ts";

/** Messages as the AI SDK keeps them, or as it sends them to a model: what is read here is the same in both. */
export type Conversation = readonly ModelMessage[] | Prompt;

export type CalledPart = Extract<
  Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number],
  { type: "tool-call" }
>;

/** What people said in the AI SDK's own approval flow. */
export interface SdkAnswer {
  /** The AI SDK's name for its request, made anew for each. */
  approvalId: string;
  approved: boolean;
  reason?: string;
}

/** Where a call stands in its conversation. */
export interface Place {
  /** How many messages there were when the model made it. */
  at: number;
  /** How many calls before it have its id: providers repeat them. Absent: none. */
  turn?: number;
  /** What people said of it, when the AI SDK comes back with it for that. */
  answer?: SdkAnswer;
  /** The call as it stands in the messages, once it does. */
  part?: CalledPart;
}

/** A call that was made just now is not in the messages; one that people have answered for is, and their answer ends them. */
export function placeOf(messages: readonly ModelMessage[], callId: string): Place {
  const answer = answerTo(messages, callId);
  const at = answer === undefined ? messages.length : messages.findLastIndex((each) => makes(each, callId));
  const turn = timesCalled(messages, callId, at);
  const part = answer && callsOf(messages[at]).find(({ toolCallId }) => toolCallId === callId);
  return { at, ...(turn > 0 && { turn }), ...(answer && { answer }), ...(part && { part }) };
}

/** The calls of a message of the model. */
export function callsOf(message: Conversation[number] | undefined): CalledPart[] {
  if (message?.role !== "assistant" || typeof message.content === "string") return [];
  return message.content.filter((part) => part.type === "tool-call") as CalledPart[];
}

/** Whether the model made a call of this id in this message. */
function makes(message: Conversation[number] | undefined, callId: string): boolean {
  if (message?.role !== "assistant" || typeof message.content === "string") return false;
  for (const part of message.content)
    if (part.type === "tool-call" && part.toolCallId === callId) return true;
  return false;
}

/** In how many of the first messages the model made a call of this id. */
export function timesCalled(messages: Conversation, callId: string, until: number): number {
  let times = 0;
  for (let index = 0; index < until; index++) if (makes(messages[index], callId)) times += 1;
  return times;
}

/** As the AI SDK reads it: of the last message alone, the first answer to a request about this call that has no result. */
function answerTo(messages: readonly ModelMessage[], callId: string): SdkAnswer | undefined {
  const last = messages.at(-1);
  if (last?.role !== "tool" || !last.content.some(({ type }) => type === "tool-approval-response"))
    return undefined;
  if (last.content.some((part) => part.type === "tool-result" && part.toolCallId === callId))
    return undefined;
  const asked = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== "assistant" || typeof content === "string") continue;
    for (const part of content)
      if (part.type === "tool-approval-request" && part.toolCallId === callId) asked.add(part.approvalId);
  }
  for (const part of last.content) {
    if (part.type !== "tool-approval-response" || !asked.has(part.approvalId)) continue;
    const { approvalId, approved, reason } = part;
    return { approvalId, approved, ...defined({ reason }) };
  }
  return undefined;
}

/** A call that people denied in the AI SDK's own flow: it tells the model, and nobody else. */
export interface Denial {
  id: string;
  name: string;
  input: unknown;
  at: number;
  reason?: string;
}

/** Those that the model has not been told of before: what follows its last response. */
export function denialsIn(prompt: Prompt): Denial[] {
  const at = prompt.findLastIndex(({ role }) => role === "assistant");
  const calls = callsOf(prompt[at]);
  const denials: Denial[] = [];
  for (const { role, content } of prompt.slice(at + 1)) {
    if (role !== "tool") continue;
    for (const part of content) {
      if (part.type !== "tool-result" || part.output.type !== "execution-denied") continue;
      const { toolCallId: id, toolName: name } = part;
      const call = calls.findLast(({ toolCallId }) => toolCallId === id);
      const { reason } = part.output;
      denials.push({ id, name, at, input: call?.input, ...defined({ reason }) });
    }
  }
  return denials;
}

/** All that users wrote in the first messages, short: the same when they come back from a client or a database. */
export function printOf(messages: Conversation, until: number): string {
  const said = messages
    .slice(0, until)
    .flatMap((message) => (message.role === "user" ? [spokenText(message.content)] : []));
  return shortHash(said);
}

/** Texts that are empty are not sent to a model. */
export function spokenText(content: ModelMessage["content"] | Prompt[number]["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : [])).join("\n");
}

/** What was sent to a model as the AI SDK's own messages, as far as they are known from it: without instructions. */
export function messagesOf(prompt: Prompt): ModelMessage[] {
  const from = prompt.findIndex(({ role }) => role !== "system");
  return prompt.slice(from).map((message) => {
    const [first, ...others] = message.content;
    const isText = message.role === "user" && typeof first === "object" && first.type === "text";
    return (
      isText && others.length === 0 ? { ...message, content: spokenText(message.content) } : message
    ) as ModelMessage;
  });
}

/** Tells values apart, also when somebody wants them to look alike. */
export function shortHash(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 16);
}
