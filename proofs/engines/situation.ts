import type { VendorName } from "../../packages/agent/test/wire/vendors.ts";
import type { Bench, Conversation } from "./conversation.ts";

/** Something that vendors do, and what must come of it. */
export interface Situation {
  name: string;
  /** Why it cannot come about with a vendor. */
  not?: Partial<Record<VendorName, string>>;
  /** What is wrong, in words; nothing when all is right. */
  misses(bench: Bench): Promise<string[]>;
}

/** The claims that do not hold. */
export function failing(claims: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(claims)
    .filter(([, holds]) => !holds)
    .map(([claim]) => claim);
}

/** What every conversation that ends well has in common. */
export function answeredWith({ outcome }: Conversation, text: string): Record<string, boolean> {
  const why = "error" in outcome ? `: ${outcome.error.message}` : "";
  return {
    [`is answered (${outcome.status}${why})`]: outcome.status === "answered",
    [`says "${text}" and not "${outcome.text}"`]: outcome.text === text,
  };
}

export function retriedFor({ retries }: Conversation, ...kinds: string[]): Record<string, boolean> {
  const seen = retries.map(({ kind }) => kind);
  return { [`is asked again for ${kinds} and not for ${seen}`]: seen.join() === kinds.join() };
}

export function noted({ notes }: Conversation, ...texts: string[]): Record<string, boolean> {
  return {
    [`runs ${JSON.stringify(texts)} and not ${JSON.stringify(notes)}`]: notes.join() === texts.join(),
  };
}

/** Text that is hard to cut: multi-byte characters, surrogate pairs, quotes, escapes, newlines. */
export const HARD = 'naïve 🦦 "quoted" \\ back\nnew\tline \u2028 日本語 👩‍👩‍👧';

let calls = 0;

/** A call of `note`. Ids are of nine letters and digits, which is what every vendor takes. */
export function call(text: string, name = "note") {
  calls += 1;
  return { id: `c${String(calls).padStart(8, "0")}`, name, arguments: JSON.stringify({ text }) };
}

/** The same, cut off within its arguments. */
export function cutCall(text: string) {
  const whole = call(text);
  return { ...whole, arguments: whole.arguments.slice(0, -4) };
}
