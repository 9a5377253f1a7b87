import { type DataLabels, result } from "@toolrig/core";
import type { MarkedOutcome } from "@toolrig/core/kit";

/** How structured data is shown to the model. Programs get the same `value` either way. */
export type OutputFormat = "labeled" | "json";

export const FORMATS: readonly OutputFormat[] = ["labeled", "json"];

/** The parameter of tools that return structured data. */
export const OUTPUT_PARAMETER = {
  type: "string",
  enum: ["labeled", "json"],
  description: 'How the answer is written: "labeled" for reading, "json" for working on with it.',
} as const;

/** An answer in the format that was asked for. */
export function shaped(
  value: unknown,
  { labeled, output, labels }: { labeled: () => string; output: OutputFormat; labels?: DataLabels },
): MarkedOutcome {
  const content = output === "json" ? JSON.stringify(value) : labeled();
  return result({ value, content, ...(labels !== undefined && { labels }) });
}

/** Names and lines as they are shown: what could move the cursor or hide is spelt out. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
    character === "\t" ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
