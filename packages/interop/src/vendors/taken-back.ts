import { decode } from "@toolrig/core/json";

/** What can be read of a model's argument text, as the object that vendors want back in a conversation. */
export function objectOf(text: string): Record<string, unknown> {
  const decoded = decode(text.trim() === "" ? "{}" : text);
  const value = decoded.ok ? decoded.value : undefined;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

/** The text itself where it is JSON: what the model wrote stays as it is wherever it can. */
export function textTakenBack(text: unknown): string {
  if (typeof text !== "string") return JSON.stringify(text ?? {});
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(objectOf(text));
  }
}
