import { type RawArguments, unwrapped, wrapped } from "../beneath/raw-arguments.ts";

/*
 * Vendors take nothing but JSON back in a conversation. Text that is none is put into an object, as beneath other loops, and taken
 * out again wherever a response is read: also in one that was stored, the model's own text is what counts.
 */

/** Argument text as the object that stands for it. */
export function objectOf(text: string): Record<string, unknown> {
  const inObject = wrapped(text, true);
  return inObject ?? (text.trim() === "" ? {} : (JSON.parse(text) as Record<string, unknown>));
}

/** Argument text as text that is JSON: itself where it can be. */
export function textTakenBack(text: unknown): string {
  if (typeof text !== "string") return JSON.stringify(text ?? {});
  const inObject = wrapped(text, true);
  return inObject === undefined ? text.trim() || "{}" : JSON.stringify(inObject);
}

/** What the model wrote, from what was taken back. Whatever else there is stays as it is. */
export function written(args: unknown): RawArguments {
  if (typeof args !== "string") return unwrapped(args);
  try {
    const value: unknown = JSON.parse(args);
    const found = unwrapped(value);
    return found.arguments === value ? { arguments: args } : found;
  } catch {
    return { arguments: args };
  }
}
