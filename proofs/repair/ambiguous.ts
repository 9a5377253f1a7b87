import { isDeepStrictEqual } from "node:util";
import { Executor, tool } from "@toolrig/core";
import type { Check } from "./check.ts";

/** Broken texts of one argument `p` that can be read in two ways, with the other reading. A tool that writes runs on none of them. */
const AMBIGUOUS: readonly (readonly [text: string, otherReading: string])[] = [
  // Two values, of which the model may have meant one, both or a choice.
  [`{"p": "bob@firm.example", "eve@firm.example"}`, "a second recipient"],
  [`{"p": "bob@firm.example","eve@firm.example"}`, "a second recipient"],
  [`{"p": "bob", "eve", "joe"}`, "three recipients"],
  [`{"p": 'bob', 'eve'}`, "a second recipient"],
  [`{"p": "a" or "b"}`, "a choice"],
  [`{"p": "a"or"b"}`, "a choice"],
  [`{"p": 'a' or 'b'}`, "a choice"],
  [`{"p": "a" | "b"}`, "a choice"],
  [`{"p": "a"|"b"}`, "a choice"],
  [`{"p": "a" || "b"}`, "a default"],
  [`{"p": "a" ?? "b"}`, "a default"],
  [`{"p": "a" && "b"}`, "the second one"],
  [`{"p": "a" and "b"}`, "two values"],
  [`{"p": "a"; "b"}`, "two values"],
  [`{"p": "a" "b"}`, "joined strings"],
  [`{'p': 'a' 'b'}`, "joined strings"],
  [`{"p": "a" if x else "b"}`, "a condition"],
  [`{"p": "x" ? "a" : "b"}`, "a condition"],
  [`{"p": "a.txt", : "hello"}`, "a member without its key"],
  [`{"p": "a" -> "b"}`, "a pair"],
  [`{"p": "a" = "b"}`, "a pair"],
  [`{"p": "say "hi" to bob", "eve"}`, "a second value after a quotation"],
  [`{"p": "a" or "the "best" one"}`, "a choice before a quotation"],
  // Expressions.
  [`{"p": "/home/" + user + "/x"}`, "a joined path"],
  [`{"p": "/home/"+user+"/x"}`, "a joined path"],
  [`{"p": "echo " + name + " done"}`, "a joined text"],
  [`{"p": "echo "+name+" done"}`, "a joined text"],
  [`{"p": "echo " . $name . " done"}`, "a joined text of PHP"],
  [`{"p": "echo ".$name." done"}`, "a joined text of PHP"],
  [`{"p": "echo " & name & " done"}`, "a joined text of Basic"],
  [`{"p": "echo " || name || " done"}`, "a joined text of SQL"],
  [`{"p": "f("+x+")"}`, "a joined call"],
  [`{"p": "use "+" to add"}`, "two joined strings"],
  [`{"p": "id=" + id + "&x=" + x + "&y"}`, "a joined query"],
  [`{"p": 'a ' + b + ' c'}`, "a joined text"],
  [`{"p": "a" / "b"}`, "a joined path of Python"],
  [`{"p": \`a \${b} c\`}`, "a filled template"],
  [`{"p": \`\${HOME}/x\`}`, "a filled template"],
  [`{"p": $HOME}`, "the value of a variable"],
  [`{"p": \${HOME}}`, "the value of a variable"],
  [`{"p": foo()}`, "what a call returns"],
  [`{"p": users[0].email}`, "an element"],
  [`{"p": %HOME%}`, "the value of a variable"],
  [`{"p": !true}`, "false"],
  // Quotes that are no pairs.
  [`{"p": "5" tall"}`, "the end before the last word"],
  [`{"p": "the "best one"}`, "another end"],
  [`{'p': 'the dogs' tail'}`, "the end before the last word"],
  [`{'p': 'it''s fine'}`, "one quote, as SQL writes it"],
  // Escapes: the model escapes nothing, or only some.
  [String.raw`{"p": "C:\temp\Users\new"}`, "a path without tab and line break"],
  [String.raw`{"p": "C:\temp\Users"}`, "a path without tab"],
  [String.raw`{"p": "C:\Users\new"}`, "a line break"],
  [String.raw`{'p': 'C:\temp\Users'}`, "a path without tab"],
  [String.raw`{p: "C:\temp"}`, "a path without tab"],
  [String.raw`{"p": "\bfoo\d+\b"}`, "word boundaries"],
  [String.raw`{"p": "\d+\n"}`, "a pattern that holds a line break"],
  [String.raw`{"p": "\section{A}\textbf{B}"}`, "LaTeX without tab"],
  [String.raw`{"p": "\\server\share\docs"}`, "a path that begins with two backslashes"],
  [String.raw`{"p": """C:\temp\Users"""}`, "a path without tab"],
  [String.raw`{'p': '\\server\new'}`, "a share, without a line break"],
  [String.raw`{p: "\bfoo\b"}`, "word boundaries"],
  [String.raw`{'p': '\frac{1}{2}'}`, "LaTeX without a form feed"],
  [String.raw`{\"p\": \"C:\temp\"}`, "a path without tab"],
  [String.raw`{\"p\": \"C:\\temp\"}`, "a path without tab"],
  [String.raw`"{\"p\": \"C:\\temp\"}"`, "a path without tab"],
  [String.raw`"{\"p\": \"\\bfoo\"}"`, "a word boundary"],
  [String.raw`{"p": "\x41"}`, "the letter A"],
  [String.raw`{"p": "\u{1F600}"}`, "a smiley"],
  [String.raw`{"p": "\U0001F600"}`, "a smiley"],
  [String.raw`{"p": "a\0b"}`, "a zero character"],
  ['{"p": "a\\\nb"}', "one line, as JavaScript reads it"],
  // Numbers.
  [`{"n": 1,000}`, "one, with a decimal comma"],
  [`{"n": 010}`, "eight"],
  [`{"l": [1 -2]}`, "minus one"],
  [`{"l": [1,000]}`, "a thousand"],
  [`{"l": [1,000, 2,050]}`, "a thousand and another number"],
  [`{"l": [1 234]}`, "1234"],
  // Lists.
  [`{"l": ["a" "b"]}`, "joined strings"],
  [`{"l": ["a", "b" or "c"]}`, "a choice"],
  [`{"l": ["a" + x, "b"]}`, "a joined string"],
  [`{"l": ["a", …]}`, "more elements"],
  [`{"l": "a, b"}`, "two elements"],
  [`{"l": "a; b"}`, "two elements"],
  [String.raw`{"l": "- a\n- b"}`, "two elements"],
  [`{"l": ""}`, "no element"],
];

/** Broken texts that have one reading. A tool that writes runs on them, with exactly that. */
const CLEAR: readonly (readonly [text: string, value: unknown])[] = [
  [`{"p": "say "hi" twice"}`, { p: 'say "hi" twice' }],
  [`{"p": "she said "hi""}`, { p: 'she said "hi"' }],
  [`{"p": ""Hi" she said"}`, { p: '"Hi" she said' }],
  [`{"p": "say "hi", then "bye" again"}`, { p: 'say "hi", then "bye" again' }],
  [`{"p": "the "two words" of it"}`, { p: 'the "two words" of it' }],
  [`{"p": "<a href="x">y</a>"}`, { p: '<a href="x">y</a>' }],
  [`{"p": "<a href="/x" class="b">y</a>"}`, { p: '<a href="/x" class="b">y</a>' }],
  [`{"p": "grep -e "a" -e "b" x"}`, { p: 'grep -e "a" -e "b" x' }],
  [`{"p": "the ".env" file"}`, { p: 'the ".env" file' }],
  [`{"p": "call f("x") now"}`, { p: 'call f("x") now' }],
  [`{"p": "{"a": "b", "c": 1}"}`, { p: '{"a": "b", "c": 1}' }],
  [`{'p': 'say "hi" twice'}`, { p: 'say "hi" twice' }],
  [`{'p': 'it's fine'}`, { p: "it's fine" }],
  [`{'p': 'it's Ann's'}`, { p: "it's Ann's" }],
  [`{'p': 'rock 'n' roll'}`, { p: "rock 'n' roll" }],
  [`{"p": 'a'}`, { p: "a" }],
  ['{"p": `a b`}', { p: "a b" }],
  ['{"p": `costs $5`}', { p: "costs $5" }],
  [`{"p": “a”}`, { p: "a" }],
  [`{"p": """a"""}`, { p: "a" }],
  [String.raw`{"p": "\d+"}`, { p: String.raw`\d+` }],
  [String.raw`{"p": "\d+\s*\w"}`, { p: String.raw`\d+\s*\w` }],
  [String.raw`{"p": "C:\Users\Ann"}`, { p: String.raw`C:\Users\Ann` }],
  [String.raw`{"p": "\(x\) \[y\]"}`, { p: String.raw`\(x\) \[y\]` }],
  [String.raw`{"p": "(a)\1"}`, { p: String.raw`(a)\1` }],
  [String.raw`{"p": "say \"hi\" \w"}`, { p: String.raw`say "hi" \w` }],
  [String.raw`{"p": "it\'s\n"}`, { p: "it's\n" }],
  [String.raw`{p: "a\tb\nc"}`, { p: "a\tb\nc" }],
  [String.raw`{p: "C:\\temp\\new"}`, { p: String.raw`C:\temp\new` }],
  [String.raw`{p: "\\\\server\\new"}`, { p: String.raw`\\server\new` }],
  [String.raw`"{\"p\": \"C:\\\\temp\"}"`, { p: String.raw`C:\temp` }],
  [String.raw`{'p': 'it\'s'}`, { p: "it's" }],
  ['{"p": "a\nb"}', { p: "a\nb" }],
  [`{"p": "a",}`, { p: "a" }],
  [`{p: "a"}`, { p: "a" }],
  [`{"p" = "a"}`, { p: "a" }],
  [`{"p": metric}`, { p: "metric" }],
  [`{"p": a.txt}`, { p: "a.txt" }],
  [`{"p": 2026-01-02}`, { p: "2026-01-02" }],
  [`{"p": "a" "n": 1}`, { p: "a", n: 1 }],
  [`{"p": "a" /* one */}`, { p: "a" }],
  ['{"p": "a", // one\n"n": 1}', { p: "a", n: 1 }],
  ['```json\n{"p": "a"}\n```', { p: "a" }],
  [`Sure: {"p": "a"}`, { p: "a" }],
  [`{"p": "a"}}`, { p: "a" }],
  [`{"b": True}`, { b: true }],
  [`{"n": 1_000}`, { n: 1000 }],
  [`{"n": 1,000,000}`, { n: 1_000_000 }],
  [`{"n": 0x1F}`, { n: 31 }],
  [`{"n": 007}`, { n: 7 }],
  [`{"n": +1}`, { n: 1 }],
  [`{"l": [1 2]}`, { l: [1, 2] }],
  [`{"l": [1,20, 3]}`, { l: [1, 20, 3] }],
  [`{"l": "a b"}`, { l: ["a b"] }],
  [`{"l": ['a', 'b',]}`, { l: ["a", "b"] }],
  [`{"l": ('a', 'b')}`, { l: ["a", "b"] }],
];

/** What a tool that writes got of each text: nothing of one with two readings, and the one reading of the others. */
export async function proveAmbiguity(check: Check, print: (line: string) => void): Promise<void> {
  const ran: string[] = [];
  for (const [text, otherReading] of AMBIGUOUS) {
    const args = await written(text);
    if (args !== undefined) ran.push(`     ran ${text} with ${JSON.stringify(args)}; may be ${otherReading}`);
  }
  const missed: string[] = [];
  for (const [text, value] of CLEAR) {
    const args = await written(text);
    if (!isDeepStrictEqual(args, value)) missed.push(`     ${text} came as ${JSON.stringify(args)}`);
  }
  for (const line of [...ran, ...missed]) print(line.replaceAll("\n", "⏎"));
  check("texts with two readings: written", ran.length === 0, `${ran.length} of ${AMBIGUOUS.length}`);
  const exact = CLEAR.length - missed.length;
  check("texts with one reading: written exactly", missed.length === 0, `${exact} of ${CLEAR.length}`);
}

async function written(text: string): Promise<unknown> {
  let got: unknown;
  const write = tool({
    name: "write",
    description: "Write",
    input: {
      type: "object",
      properties: {
        p: { type: "string" },
        n: { type: "integer" },
        b: { type: "boolean" },
        l: { type: "array", items: { type: ["string", "integer"] } },
      },
      additionalProperties: false,
    },
    safety: { sideEffects: "write", idempotent: true },
    execute: (args: unknown) => {
      got = args;
    },
  });
  await new Executor({ tools: [write] }).call({ id: "c", name: "write", arguments: text });
  return got;
}
