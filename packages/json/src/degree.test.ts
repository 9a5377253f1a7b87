import { expect, test } from "vitest";
import { type Decoded, decode } from "./decode.ts";
import { decodeStream } from "./stream.ts";

const schema = { type: "object", properties: { p: { type: "string" } } };

function degrees(decoded: Decoded): string {
  return decoded.ok
    ? [decoded.degree, ...decoded.repairs.map(({ kind, degree }) => `${kind}=${degree}`)].join(" ")
    : "failure";
}

/** `prove repair` has a longer table; here are the repairs that each degree is written on. */
test.each([
  ['{"p": "say "hi" twice"}', "exact unescaped-quote=exact"],
  ['{"p": "a", "b"}', "guess unescaped-quote=guess"],
  ['{"p": "a" or "b"}', "guess unescaped-quote=guess"],
  ['{"p": "a "+x+" b"}', "guess unescaped-quote=guess"],
  [String.raw`{"p": "\d"}`, "exact escape=exact"],
  [String.raw`{"p": "\d\t"}`, "guess escape=guess"],
  [String.raw`{"p": "\t\d"}`, "guess escape=guess"],
  [String.raw`{"p": "\t", "q": "\d"}`, "exact escape=exact unknown-key=exact"],
  [String.raw`{p: "C:\temp"}`, "guess unquoted-key=exact escape=guess"],
  [String.raw`{"p": "\d\x41"}`, "guess escape=guess"],
  [String.raw`{p: "\bfoo\b"}`, "guess unquoted-key=exact escape=guess"],
  [String.raw`{"p": "\bfoo\b"}`, "exact"],
  [String.raw`{p: "\\server\new"}`, "guess unquoted-key=exact escape=guess"],
  [String.raw`"{\"p\": \"C:\\temp\"}"`, "guess double-encoded=guess"],
  [String.raw`"{\"p\": \"C:\\\\temp\"}"`, "exact double-encoded=exact"],
  [String.raw`{\"p\": \"C:\\temp\"}`, "guess escaped-document=guess"],
  ["[1,000]", "guess unquoted-value=guess"],
  ["[1,089.5]", "guess unquoted-value=guess"],
  ["[1, 000]", "exact unquoted-value=exact"],
  ["[1 234]", "guess missing-comma=guess"],
  ["[1 2]", "exact missing-comma=exact"],
  ["{p: %A%}", "guess unquoted-key=exact unquoted-value=guess"],
  ["{p: a[0]}", "guess unquoted-key=exact unquoted-value=guess"],
  [`{"p": \`\${a}\`}`, "guess quote=guess"],
  ["{p: $A}", "guess unquoted-key=exact unquoted-value=guess"],
])("%s is read as %s", (text, expected) => {
  expect(degrees(decode(text, { schema }))).toBe(expected);
});

test("a text that arrives in pieces is as sure as the whole one", () => {
  for (const content of [
    String.raw`\x41`,
    String.raw`\x4z`,
    String.raw`\U0001F600`,
    String.raw`\\server\new\d`,
    String.raw`\Users and more`,
    "\\\r\n",
  ]) {
    const text = `{"p": "${content}"}`;
    const stream = decodeStream({ schema });
    for (const character of text) stream.push(character);
    expect(degrees(stream.end()), text).toBe(degrees(decode(text, { schema })));
  }
});
