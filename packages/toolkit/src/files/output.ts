import { type DataLabels, result } from "@toolrig/core";
import type { MarkedOutcome } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";

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
  const content = output === "json" ? plainJson(value) : labeled();
  return result({ value, content, ...defined({ labels }) });
}

/** What could move the cursor or hide. */
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Names and lines as they are shown: what could move the cursor or hide is spelt out. */
export function oneLine(text: string): string {
  return text.replaceAll(HIDDEN, (character) =>
    character === "\t" ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** JSON in which nothing moves the cursor or hides: it means the same. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(HIDDEN, (character) =>
    character === "\n" ? character : escaped(character),
  );
}

function escaped(character: string): string {
  const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
