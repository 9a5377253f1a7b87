/** Words by which vendors and peers say that a response has ended by itself, and is all that the model had to say. */
const WHOLE: readonly string[] = [
  "stop",
  "stop_sequence",
  "end_turn",
  "pause_turn",
  "tool_calls",
  "tool-calls",
  "tool_call",
  "tool_use",
  "function_call",
  "complete",
  "completed",
  "eos",
  "eos_token",
];

/**
 * Any other word, and none at all, says that a response was cut off. Where a peer joins what the parts of a stream say, a word may
 * stand there several times.
 */
export function isWholeEnd(reason: unknown): boolean {
  if (typeof reason !== "string" || reason === "") return false;
  const said = reason.toLowerCase();
  return WHOLE.some((word) => said.replaceAll(word, "") === "");
}
