import { createHash } from "node:crypto";
import { extract } from "@toolrig/extract";
import { made } from "./made.ts";
import { quoted } from "./quoted.ts";

const tools = [
  { name: "look_up", inputSchema: { type: "object", properties: { query: { type: "string" } } } },
  { name: "read_file", inputSchema: { type: "object", properties: { query: { type: "string" } } } },
];

/** The envelopes that the texts go through in turn. The first three also stand within a line. */
const ENVELOPES: readonly ((tool: string) => string)[] = [
  (tool) => `<tool_call>{"name": "${tool}", "arguments": {"query": "x"}}</tool_call>`,
  (tool) => `<invoke name="${tool}"><parameter name="query">x</parameter></invoke>`,
  (tool) => `{"name": "${tool}", "arguments": {"query": "x"}}`,
  (tool) => `[${tool}(query='x')]`,
  (tool) => `\`\`\`json\n{"name": "${tool}", "arguments": {"query": "x"}}\n\`\`\``,
];
const INLINE = 3;

export interface Spoken {
  language: string;
  text: string;
  /** How many calls the speaker makes: none where they are only shown. */
  calls: number;
  /** The half that rules were not written against. */
  setAside: boolean;
}

/** The 200 quoted and the 200 real texts, each in one envelope, in halves by a hash of the text. */
export function spokenTexts(): Spoken[] {
  return Object.keys(made).flatMap((language, row) =>
    [quoted, made].flatMap((kind) =>
      (kind[language] ?? []).map((text, index) => ({
        language,
        text: withCalls(text, row + index),
        calls: kind === quoted ? 0 : text.split("{}").length - 1,
        setAside: Number.parseInt(createHash("sha256").update(text).digest("hex").slice(0, 2), 16) % 2 === 1,
      })),
    ),
  );
}

function withCalls(text: string, turn: number): string {
  const whole = /^(?:[\s\S]*\n)?[ ]*\{\}(?:\n|$)/.test(text);
  const envelope = ENVELOPES[turn % (whole ? ENVELOPES.length : INLINE)] ?? ENVELOPES[0];
  let count = 0;
  return text.replaceAll("{}", () => envelope?.(tools[count++ % 2]?.name ?? "look_up") ?? "");
}

/** Whether as many calls are found as the speaker makes. */
export function isHeard(one: Spoken): boolean {
  return extract(one.text, { tools }).calls.length === one.calls;
}
