import type { ExtractEvent, ExtractedCall } from "./call.ts";
import { families, familyNamed } from "./family-table.ts";
import { Input } from "./input.ts";
import { Openings } from "./openings.ts";
import { OptionError } from "./option-error.ts";
import { type ReasoningState, Scanner } from "./scanner.ts";
import { type ExtractTool, ToolIndex } from "./tool-index.ts";

export interface ExtractOptions {
  /** The tools that may be called. Other names are text. */
  tools: readonly ExtractTool[];
  /** Reads only the envelopes of this family. By default the family is found from the text. */
  family?: string | undefined;
  /**
   * Whether the text begins inside reasoning that the prompt opened. `unknown`, the default, decides by whether a
   * closing tag without an opening one appears; a stream then holds calls back to its end. `closed` is for text that
   * has no reasoning in it, as when the provider delivers it apart.
   */
  reasoning?: ReasoningState | undefined;
}

const OPTION_NAMES: { readonly [Name in keyof Required<ExtractOptions>]: true } = {
  tools: true,
  family: true,
  reasoning: true,
};

export interface Extracted {
  calls: ExtractedCall[];
  /** The text without the calls, as it was written. */
  content: string;
}

export interface ExtractStream {
  /** Takes more text and returns what has become certain. */
  push(chunk: string): ExtractEvent[];
  /** Says that the text is over and returns the rest. Nothing is taken after that. */
  end(): ExtractEvent[];
}

/**
 * While more than this is kept, chunks are collected until they are this part of it, so that adding to a long text a
 * little at a time does not copy it every time.
 */
const BATCHED_FROM = 16_384;
const BATCHED_PART = 16;

const grammars = new Map<string, Openings>();

function grammar(family: string | undefined): Openings {
  const key = family ?? "";
  let openings = grammars.get(key);
  if (openings === undefined) {
    openings =
      family === undefined ? new Openings(families, false) : new Openings([familyNamed(family)], true);
    grammars.set(key, openings);
  }
  return openings;
}

/**
 * Finds the tool calls that a model wrote as text. Takes time linear in the text and throws nothing but
 * `OPTION_INVALID` for options that are none.
 */
export function extract(text: string, options: ExtractOptions): Extracted {
  const stream = extractStream(options);
  const calls: ExtractedCall[] = [];
  let content = "";
  for (const event of [...stream.push(text), ...stream.end()]) {
    if (event.type === "call") calls.push(event.call);
    else if (event.type === "text") content += event.text;
  }
  return { calls, content };
}

/** Finds the same calls and the same content in a text that arrives in chunks, whatever the chunks. */
export function extractStream(options: ExtractOptions): ExtractStream {
  checkOptions(options);
  const input = new Input();
  const tools = new ToolIndex(options.tools);
  const scanner = new Scanner(input, grammar(options.family), tools, options.reasoning ?? "unknown");
  const running = scanner.run();
  let waiting = "";
  let pending = false;
  const proceed = (): ExtractEvent[] => {
    input.text += waiting;
    waiting = "";
    running.next();
    return scanner.collector.take();
  };
  return {
    push(chunk) {
      waiting += chunk;
      if (input.text.length > BATCHED_FROM && waiting.length * BATCHED_PART < input.text.length) return [];
      const events = proceed();
      const held = input.text.length > 0 && scanner.isHolding;
      if (held && !pending) events.push({ type: "pending" });
      pending = held;
      return events;
    },
    end() {
      input.closed = true;
      return proceed();
    },
  };
}

function checkOptions(options: ExtractOptions): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new OptionError(
      `extract takes an object with the tools that may be called; received ${kindOf(options)}.`,
    );
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTION_NAMES, name));
  if (unknown !== undefined)
    throw new OptionError(
      `Unknown option "${unknown}" for extract. Available options: ${Object.keys(OPTION_NAMES).join(", ")}.`,
    );
  if (!Array.isArray(options.tools))
    throw new OptionError(`tools must be a list of definitions; received ${kindOf(options.tools)}.`);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
