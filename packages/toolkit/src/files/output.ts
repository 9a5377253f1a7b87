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

/** The parameter of tools that list, to go on where an answer ended. */
export const SKIP_PARAMETER = {
  type: "integer",
  minimum: 0,
  description: "How many to pass by, to go on where an answer ended. Default 0.",
} as const;

/** The part of an answer that says how to go on. */
export const NEXT_PROPERTY = {
  type: "object",
  description: "What to ask for, besides the same, to go on. Absent at the end.",
} as const;

export interface Shape<Value> {
  output: OutputFormat;
  /** The answer for reading. */
  labeled(value: Value): string;
  /** The tool's context: more text than its `maxContent` would be cut in the middle. */
  room?: { readonly maxContent: number };
  /** How many items there are, and the answer with only the first of them, which says how to go on. */
  items?: { readonly count: number; first(count: number): Value };
  labels?: DataLabels;
}

/** An answer in the format that was asked for. The model is shown as many items as fit; programs get them all. */
export function shaped<Value>(value: Value, shape: Shape<Value>): MarkedOutcome {
  const { output, labeled, labels, items, room } = shape;
  const written = (each: Value) => (output === "json" ? plainJson(each) : labeled(each));
  let content = written(value);
  if (items !== undefined && room !== undefined && content.length > room.maxContent) {
    let [fits, beyond] = [1, items.count];
    content = written(items.first(1));
    while (beyond - fits > 1) {
      const count = Math.floor((fits + beyond) / 2);
      const text = written(items.first(count));
      if (text.length <= room.maxContent) [fits, content] = [count, text];
      else beyond = count;
    }
  }
  return result({ value, content, ...defined({ labels }) });
}

/** How a list is headed: what it holds, and how to go on where there is more. */
export function headOf(what: string, skip: number, next: { skip: number } | undefined): string {
  const passed = skip === 0 ? "" : `After the first ${skip.toLocaleString("en-US")}: `;
  if (next === undefined) return `${passed}${what}`;
  return `${passed === "" ? "The first " : passed}${what}; there are more, go on with ${JSON.stringify(next)}`;
}

/** What could move the cursor or hide. */
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

const HIDDEN_BUT_LINES = /(?!\t|\r?\n)[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Names and lines as they are shown: what could move the cursor or hide is spelt out. */
export function escapeLine(text: string): string {
  return text.replaceAll(HIDDEN, (character) =>
    character === "\t" ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Text of several lines, as `escapeLine`: ends of lines stay. */
export function escapeLines(text: string): string {
  return text.replaceAll(HIDDEN_BUT_LINES, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
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
