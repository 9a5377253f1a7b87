/*
 * Peers parse the model's argument text before their tools see it: some close what was cut off, some give up on what does not
 * parse. A wrapper around the model puts such text into an object that every peer passes on as it is, and the tool takes it out
 * again. Nothing is remembered in between, so that it holds in a run that another process goes on with, too.
 */

/** The two keys say to the model, which sees its own calls again, what became of them. */
const UNPARSED = "unparsed_arguments";
const CUT_OFF = "cut_off_arguments";

/** Arguments as the pipeline takes them. */
export interface RawArguments {
  arguments: unknown;
  /** Absent: true. */
  complete?: false;
}

/** Undefined for text that is JSON and whole: the peer's own parser reads it as it is. */
export function wrapped(text: string, complete: boolean): Record<string, string> | undefined {
  if (!complete) return { [CUT_OFF]: text };
  return isObjectText(text) ? undefined : { [UNPARSED]: text };
}

/** A value that is no object, where a peer takes nothing else. */
export function wrappedValue(value: unknown): Record<string, string> {
  return { [UNPARSED]: JSON.stringify(value) };
}

/** What the model wrote, from what a peer passed on. */
export function unwrapped(args: unknown): RawArguments {
  if (typeof args !== "object" || args === null) return { arguments: args };
  const [only, ...others] = Object.entries(args);
  if (only === undefined || others.length > 0 || typeof only[1] !== "string") return { arguments: args };
  if (only[0] === CUT_OFF) return { arguments: only[1], complete: false };
  return only[0] === UNPARSED ? { arguments: only[1] } : { arguments: args };
}

/** No text at all is what providers send for no arguments. */
function isObjectText(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
