const EXCERPT = 80;

export function excerpt(text: string): string {
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text;
}

/** A value as JSON. A long string is cut to the length of an excerpt. */
export function jsonOf(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return JSON.stringify(value.slice(0, EXCERPT));
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}
