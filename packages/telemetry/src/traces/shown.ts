import type { Redactor } from "@toolrig/core";

/** Characters of arguments or a result in a span. */
const MAX_SHOWN = 10_000;

/** A value as a span records it: without secrets, and not longer than what backends keep. */
export function shown(value: unknown, redactor: Redactor): string {
  const text = typeof value === "string" ? redactor.text(value) : attributeText(redactor.value(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function attributeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "[not JSON]";
  }
}
