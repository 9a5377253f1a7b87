import { ToolrigError } from "@toolrig/core";

/** The list that every response of a vendor has, and no other vendor's. */
export type ResponseField = "output" | "choices" | "content" | "candidates";

const KINDS: Readonly<Record<ResponseField, { is: string; loop: string }>> = {
  output: { is: "a response of OpenAI's Responses API", loop: "rig.openai()" },
  choices: { is: "a chat completion", loop: 'rig.openai({ api: "chat" })' },
  content: { is: "a message of Anthropic's", loop: "rig.anthropic()" },
  candidates: { is: "a response of Gemini's", loop: "rig.gemini()" },
};

/**
 * Throws `OPTION_INVALID` for what cannot be a response of the vendor and would look like one without calls, so that a loop ended
 * where the model had asked for something. The body of an error, or a response with nothing in it, is none of this.
 */
export function checkResponse(response: unknown, own: ResponseField): void {
  const problem = problemOf(response, own);
  if (problem === undefined) return;
  const { is, loop } = KINDS[own];
  throw new ToolrigError("OPTION_INVALID", `response must be ${is} for the loop of ${loop}; got ${problem}.`);
}

function problemOf(response: unknown, own: ResponseField): string | undefined {
  if (typeof response !== "object" || response === null)
    return typeof response === "string" ? "text: parse it first" : String(response);
  if (Array.isArray(response)) return "a list: give the whole response";
  const fields = response as Readonly<Record<string, unknown>>;
  if (typeof fields.then === "function") return "a promise: await it first";
  if (Symbol.asyncIterator in response || typeof fields.getReader === "function")
    return "a stream: give what collect(stream) makes of it";
  if (typeof fields.json === "function") return "an HTTP response: give its body, await response.json()";
  if (own in response) return undefined;
  for (const [field, { is, loop }] of Object.entries(KINDS))
    if (Array.isArray(fields[field])) return `${is}: use ${loop}`;
  for (const part of ["message", "tool_calls", "parts"])
    if (typeof fields[part] === "object" && fields[part] !== null)
      return `an object with "${part}": give the whole response`;
  return undefined;
}
