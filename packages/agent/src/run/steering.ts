import type { ContentPart } from "@toolrig/core";
import { check, isRecord } from "@toolrig/core/kit";
import type { UserMessage } from "../model/message.ts";
import { untrustedMessage } from "../model/untrusted.ts";

/** What can be said to a run: text, parts, or a message. */
export type UserInput = string | ContentPart[] | UserMessage;

export interface SayOptions {
  /** Where the message comes from, when nobody trusted wrote it: it is then marked as data. */
  untrusted?: string;
  /** Whether calls that wait for approval go on waiting. Default: what the user says anew makes them moot. */
  keepApprovals?: boolean;
}

/** How many waiting messages are delivered at a time. */
export type Delivery = "one" | "all";

/** Messages that wait for their moment in a run. */
export class MessageQueue {
  readonly #origin: "steer" | "follow-up";
  readonly #delivery: Delivery;
  #waiting: UserMessage[] = [];

  constructor(origin: "steer" | "follow-up", delivery: Delivery) {
    this.#origin = origin;
    this.#delivery = delivery;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(input: UserInput, options: SayOptions = {}): void {
    this.#waiting.push({ ...userMessage(input, options), origin: this.#origin });
  }

  take(): UserMessage[] {
    return this.#waiting.splice(0, this.#delivery === "one" ? 1 : this.#waiting.length);
  }

  takeAll(): UserMessage[] {
    return this.#waiting.splice(0);
  }
}

/** Throws `OPTION_INVALID` for what is no input, such as the `{ prompt }` or the list of messages that other frameworks take. */
export function userMessage(input: UserInput, { untrusted }: SayOptions = {}): UserMessage {
  const isMessage = isRecord(input) && input.role === "user" && isContent(input.content);
  if (!isMessage && !isContent(input)) throw check.invalid("input", INPUT, input);
  if (untrusted !== undefined) return untrustedMessage(plainText(input), untrusted);
  if (typeof input === "string" || Array.isArray(input)) return { role: "user", content: input };
  return input;
}

const INPUT =
  'text, a list of content parts, or a message such as { role: "user", content: "Hi" }, with earlier messages in the option messages';

function isContent(given: unknown): boolean {
  if (typeof given === "string") return true;
  return Array.isArray(given) && given.every((part) => isRecord(part) && typeof part.type === "string");
}

function plainText(input: UserInput): string {
  const content = typeof input === "string" || Array.isArray(input) ? input : input.content;
  return typeof content === "string" ? content : JSON.stringify(content);
}
