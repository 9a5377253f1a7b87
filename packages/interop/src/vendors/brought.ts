import { broughtBy, isFilled } from "../beneath/brought.ts";

/** Fields of Gemini's parts that are the model's own. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "text",
  "thought",
  "thoughtSignature",
  "functionCall",
  "inlineData",
]);

/**
 * What a response of any vendor brings that did not come through a rig, by its kind: what the vendor searched, fetched or ran, and calls
 * whose results come from elsewhere.
 */
export function broughtInto(response: unknown): string[] {
  const { output, content, choices, candidates } = fieldsOf(response);
  const [choice] = listOf(choices);
  const [candidate] = listOf(candidates);
  const brought = [...broughtBy(output), ...broughtBy(content), ...byChat(choice), ...byGemini(candidate)];
  return [...new Set(brought)];
}

function byChat(choice: unknown): string[] {
  const { annotations, tool_calls: calls } = fieldsOf(fieldsOf(choice).message);
  const types = listOf(calls).map((call) => fieldsOf(call).type ?? "function");
  return [
    ...types.filter((type) => type !== "function").map(String),
    ...(isFilled(annotations) ? ["a citation"] : []),
  ];
}

function byGemini(candidate: unknown): string[] {
  const { content, groundingMetadata, urlContextMetadata } = fieldsOf(candidate);
  const fields = listOf(fieldsOf(content).parts).flatMap((part) => Object.keys(fieldsOf(part)));
  const isSearched = [groundingMetadata, urlContextMetadata].some(
    (each) => Object.keys(fieldsOf(each)).length > 0,
  );
  return [
    ...fields.filter((field) => !OWN_FIELDS.has(field)),
    ...(isSearched ? ["a search of the vendor"] : []),
  ];
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
