import { cleanText } from "./clean-text.ts";

/** A server's value with every text in it clean, names of members included. Only for values whose depth is known to be bounded. */
export function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value).text;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanValue);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [cleanText(key).text, cleanValue(each)]),
  );
}

/** Text with an end that says how much is missing. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}\n[cut: ${text.length - most} more characters]`;
}
