import { describe, expect, test } from "vitest";
import { decode } from "./decode.ts";
import { REPAIR_KINDS, type RepairKind } from "./repair-kinds.ts";

/** What was written, and what was meant. Each case must report the kind it stands under. */
type Case = [written: string, meant: unknown];

const REPAIRED: Partial<Record<RepairKind, Case[]>> = {
  "byte-order-mark": [
    ['\ufeff{"city":"Oslo"}', { city: "Oslo" }],
    ["\ufeff[1,2]", [1, 2]],
  ],
  whitespace: [
    ['{"city":\u00a0"Oslo"}', { city: "Oslo" }],
    ['{\u2009"a"\u2009:\u20091\u2009}', { a: 1 }],
    ["[1,\u200b2]", [1, 2]],
    ['{"a":\u30001}', { a: 1 }],
  ],
  "surrounding-text": [
    ['I will call it with {"city": "Oslo"}', { city: "Oslo" }],
    ['Result: {"a": 1}. Shall I go on?', { a: 1 }],
    ['{"a": 1}\n\nThese are the arguments you asked for.', { a: 1 }],
    ['{"a": 1}<|im_end|>', { a: 1 }],
    ['{"a": "x"}</function_call>', { a: "x" }],
    ['Use {placeholder} style: {"name": "{placeholder}"}', { name: "{placeholder}" }],
    ['As noted in [1] and [2], the call is {"id": 7}', { id: 7 }],
    ['args = {"a": 1};', { a: 1 }],
    ['handle({"a": [1, 2]});', { a: [1, 2] }],
    ['The list is ["a", "b"] as requested', ["a", "b"]],
    ['Found [{"id": 1}, {"id": 2}] in total', [{ id: 1 }, { id: 2 }]],
    ['"{"a": 1}"', { a: 1 }],
    ['Empty braces {} mean nothing, {"a": 1} does', { a: 1 }],
  ],
  fence: [
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['```\n["x"]\n```', ["x"]],
    ['```JSON\n{"a": "```"}\n```', { a: "```" }],
    ['````json5\n{"a": 1}\n````', { a: 1 }],
    ['{"a": 1}\n```', { a: 1 }],
    ["```javascript\n{a: 1}\n```", { a: 1 }],
  ],
  comment: [
    ['{"a": 1 // first\n, "b": 2}', { a: 1, b: 2 }],
    ['{/* nothing here: } */"a": 1}', { a: 1 }],
    ['# generated\n{"a": 1}', { a: 1 }],
    ['{"url": "http://x/y" /* keep // this */}', { url: "http://x/y" }],
    ['{"a": 1, # note }\n"b": 2}', { a: 1, b: 2 }],
    ['{"a": "b" // joined into one line }', { a: "b" }],
    ["[1, /* two */ 2, 3 /* unfinished */]", [1, 2, 3]],
  ],
  "control-character": [
    ['{"text": "one\ntwo"}', { text: "one\ntwo" }],
    ['{"text": "tab\there"}', { text: "tab\there" }],
    ['{"code": "if x:\r\n\treturn 1\n"}', { code: "if x:\r\n\treturn 1\n" }],
    ['{"a": "bell\u0007"}', { a: "bell\u0007" }],
    ['{"two\nlines": 1}', { "two\nlines": 1 }],
  ],
  "trailing-comma": [
    ['{"a": 1,}', { a: 1 }],
    ['{"a": [1, 2,\n], "b": {"c": 3,},}', { a: [1, 2], b: { c: 3 } }],
    ['{"a": 1},', { a: 1 }],
    ["[[1,],]", [[1]]],
  ],
  "extra-comma": [
    ["[, 5]", [5]],
    ["[4,, 5]", [4, 5]],
    ['{,"a": 1}', { a: 1 }],
    ['{"a": 1,, "b": 2}', { a: 1, b: 2 }],
    ["[1, , , 2]", [1, 2]],
  ],
  "missing-comma": [
    ['{"a": 1 "b": 2}', { a: 1, b: 2 }],
    ['{"a": "x"\n"b": "y"}', { a: "x", b: "y" }],
    ['{"a": {"b": 1} "c": 2}', { a: { b: 1 }, c: 2 }],
    ["[1 2 3]", [1, 2, 3]],
    ['["a" "b"]', ["a", "b"]],
    ['[{"a": 1} {"a": 2}]', [{ a: 1 }, { a: 2 }]],
    ['{"a": true\n  b: false}', { a: true, b: false }],
    ['{"list": ["x"] "more": null}', { list: ["x"], more: null }],
    ['{"a": 1; "b": "x"; "c": [2; 3]}', { a: 1, b: "x", c: [2, 3] }],
    ['{"a": "x""b": "y"}', { a: "x", b: "y" }],
  ],
  "missing-colon": [
    ['{"city"=>"Oslo", "days"=>3}', { city: "Oslo", days: 3 }],
    ['{"a" 1}', { a: 1 }],
    ['{"city" "Oslo"}', { city: "Oslo" }],
    ['{"a" {"b" [1]}}', { a: { b: [1] } }],
    ['{"a" = 1}', { a: 1 }],
    ['{"a" => "b"}', { a: "b" }],
    ['{"ok" true}', { ok: true }],
    ['{"名"："值"，"n"：1}', { 名: "值", n: 1 }],
  ],
  "missing-value": [
    ['{"a": , "b": 1}', { a: null, b: 1 }],
    ['{"city":}', { city: null }],
    ['{"a"}', { a: null }],
    ['{"a": 1, "b"}', { a: 1, b: null }],
  ],
  quote: [
    ["{'a': 'b'}", { a: "b" }],
    ["{'a': \"it's\"}", { a: "it's" }],
    ["{“a”: “b”}", { a: "b" }],
    ["{‘a’: ‘b’}", { a: "b" }],
    ["{„a“: „b“}", { a: "b" }],
    ["{«a»: «b»}", { a: "b" }],
    ["{`a`: `b`}", { a: "b" }],
    ["{'say': 'she said \"hi\"'}", { say: 'she said "hi"' }],
    ["{“a”: “it’s “fine””}", { a: "it’s “fine”" }],
    ['{"code": """print("hi")\nprint(\'ho\')"""}', { code: "print(\"hi\")\nprint('ho')" }],
    ['{""a"": ""b"", ""c"": 1}', { a: "b", c: 1 }],
  ],
  "unescaped-quote": [
    ['{"a": "the "best" one"}', { a: 'the "best" one' }],
    ["{'a': 'it's fine'}", { a: "it's fine" }],
    ['{"a": "5" pipe", "b": 1}', { a: '5" pipe', b: 1 }],
    ['{"html": "<p class="x">hi</p>"}', { html: '<p class="x">hi</p>' }],
    ['{"code": "print("a", "b")"}', { code: 'print("a", "b")' }],
    ['{"a": "he said "yes", then left", "b": 2}', { a: 'he said "yes", then left', b: 2 }],
    ['["one "two" three", "four"]', ['one "two" three', "four"]],
    ['{"json": "{"k": "v", "n": [1, 2]}", "x": 0}', { json: '{"k": "v", "n": [1, 2]}', x: 0 }],
    ['{"json": "["a", "b"]"}', { json: '["a", "b"]' }],
    ['{"cmd": "git commit -m "fix: it""}', { cmd: 'git commit -m "fix: it"' }],
    ['{"a"b": 1}', { 'a"b': 1 }],
    ['{"sql": "select "a" from "t" where "b" = 1"}', { sql: 'select "a" from "t" where "b" = 1' }],
  ],
  "missing-quote": [
    ['{"a": "b, "c": 1}', { a: "b", c: 1 }],
    ['{"a": b", "c": 1}', { a: "b", c: 1 }],
    ['{"a: "b"}', { a: "b" }],
    ['{a": "b"}', { a: "b" }],
    ['{"a": "b\n"c": 1}', { a: "b", c: 1 }],
    ['["a,\n"b"]', ["a", "b"]],
    ['{"list": ["a", "b], "c": 1}', { list: ["a", "b"], c: 1 }],
    ['{"a": {"b": "c}, "d": 1}', { a: { b: "c" }, d: 1 }],
  ],
  "unquoted-key": [
    ["{a: 1}", { a: 1 }],
    ["{a_b: 1, $c: 2}", { a_b: 1, $c: 2 }],
    ["{first name: 1}", { "first name": 1 }],
    ["{1: 2}", { "1": 2 }],
    ["{größe: 3}", { größe: 3 }],
    ["{content-type: 'x'}", { "content-type": "x" }],
    ["{constructor: 1}", { constructor: 1 }],
  ],
  "unquoted-value": [
    ["{a: hello}", { a: "hello" }],
    ["{a: hello world, b: 1}", { a: "hello world", b: 1 }],
    ["{to: Oslo, Norway, from: Rome}", { to: "Oslo, Norway", from: "Rome" }],
    ["{url: https://example.org/a?b=c}", { url: "https://example.org/a?b=c" }],
    ["{at: 12:30}", { at: "12:30" }],
    ["{on: 2031-02-03T04:05:06Z}", { on: "2031-02-03T04:05:06Z" }],
    ["[red, green]", ["red", "green"]],
    ["{id: 3f2a-77}", { id: "3f2a-77" }],
    ["{version: 1.2.3}", { version: "1.2.3" }],
    ["{zip: 01234}", { zip: "01234" }],
    ["{color: #fff}", { color: "#fff" }],
    ["{share: 10%}", { share: "10%" }],
    ['{"weight": 5 kg, "n": 1}', { weight: "5 kg", n: 1 }],
    ["{f: g(x, y)}", { f: "g(x, y)" }],
    ["{a: truely}", { a: "truely" }],
  ],
  literal: [
    ["{'a': True, 'b': False, 'c': None}", { a: true, b: false, c: null }],
    ['{"a": undefined}', { a: null }],
    ['{"a": NaN, "b": -Infinity}', { a: null, b: null }],
    ['{"a": TRUE, "b": NULL}', { a: true, b: null }],
    ['{"a": nil}', { a: null }],
  ],
  number: [
    ['{"a": +5}', { a: 5 }],
    ['{"a": .5, "b": -.5}', { a: 0.5, b: -0.5 }],
    ['{"a": 5., "b": 1}', { a: 5, b: 1 }],
    ['{"mask": 0xFF}', { mask: 255 }],
    ['{"a": 0b101, "b": 0o17}', { a: 5, b: 15 }],
    ['{"a": 1_000_000}', { a: 1_000_000 }],
    ['{"a": 1,250,000, "b": 2}', { a: 1_250_000, b: 2 }],
    ['{"a": 3e, "b": 1}', { a: 3, b: 1 }],
    ['{"a": 12n}', { a: 12 }],
  ],
  escape: [
    ['{"re": "\\d+\\.\\d"}', { re: "\\d+\\.\\d" }],
    ['{"path": "C:\\Users\\new\\table"}', { path: "C:\\Users\\new\\table" }],
    ['{"dir": "D:\\work\\", "x": 1}', { dir: "D:\\work\\", x: 1 }],
    ['{"home": "C:\\users\\bob"}', { home: "C:\\users\\bob" }],
    ['{"a": "it\\\'s"}', { a: "it's" }],
    ['{"a": "\\x"}', { a: "\\x" }],
    ["{'a': '\\x41'}", { a: "A" }],
    ['{"cmd": "a \\\n b"}', { cmd: "a \\\n b" }],
    ['{"tex": "\\alpha \\u03b1 \\usepackage"}', { tex: "\\alpha α \\usepackage" }],
  ],
  concatenation: [
    ['{"a": "one " + "two"}', { a: "one two" }],
    ['{"a": "x" +\n  "y" +\n  "z", "b": 1}', { a: "xyz", b: 1 }],
    ["['a' + 'b', 'c']", ["ab", "c"]],
  ],
  ellipsis: [
    ["[1, 2, ...]", [1, 2]],
    ["[1, ..., 9]", [1, 9]],
    ["[1, …]", [1]],
    ['{"a": 1, ...}', { a: 1 }],
    ['{"list": ["x", ...], "n": 2}', { list: ["x"], n: 2 }],
    ['{"a": ...}', { a: null }],
  ],
  call: [
    ['{"id": ObjectId("5f0")}', { id: "5f0" }],
    ['{"at": Date(1700)}', { at: 1700 }],
    ["{'d': Decimal('1.5')}", { d: "1.5" }],
  ],
  tuple: [
    ["{'point': (1, 2)}", { point: [1, 2] }],
    ["{'one': (1,)}", { one: [1] }],
    ["{'grouped': (1)}", { grouped: 1 }],
    ["{'names': ('a', 'b')}", { names: ["a", "b"] }],
  ],
  "missing-opener": [
    ['["a": 1, "b": 2]', [{ a: 1, b: 2 }]],
    ['{"items": ["id": 1}, {"id": 2}]}', { items: [{ id: 1 }, { id: 2 }] }],
  ],
  "missing-closer": [
    ['{"a": [1, 2}', { a: [1, 2] }],
    ['[{"a": 1, {"a": 2}]', [{ a: 1 }, { a: 2 }]],
    ['[{"a": 1{"a": 2}]', [{ a: 1 }, { a: 2 }]],
    ['{"a": [{"b": 1], "c": 2}', { a: [{ b: 1 }], c: 2 }],
    ['[{"a": {"b": 1]', [{ a: { b: 1 } }]],
  ],
  "wrong-closer": [
    ['{"a": 1]', { a: 1 }],
    ["[1, 2}", [1, 2]],
    ['{"a": {"b": 1]}', { a: { b: 1 } }],
  ],
  "extra-closer": [
    ['{"n": 8}}', { n: 8 }],
    ['{"a": [1]}]}', { a: [1] }],
    ["[8]]", [8]],
  ],
  "early-closer": [
    ['{"a": 1}, "b": 2}', { a: 1, b: 2 }],
    ['{"a": {"b": 1}}, "c": {"d": 2}}', { a: { b: 1 }, c: { d: 2 } }],
    ['{"a": [1], [2, 3], "b": 4}', { a: [1, 2, 3], b: 4 }],
  ],
  "extra-opener": [
    ['{{"a": 1}}', { a: 1 }],
    ['{{"a": {{"b": 2}}}}', { a: { b: 2 } }],
  ],
  "unexpected-text": [
    ['{"a": [1] oops, "b": 2}', { a: [1], b: 2 }],
    ['{"a": 1, NOTE "b": 2}', { a: 1, b: 2 }],
    ['{"a": "x", NOTE "b": "y "z", w"}', { a: "x", b: 'y "z", w' }],
    ['{"a": "x" stray words}', { a: "x" }],
  ],
  "escaped-document": [
    ['{\\"a\\": \\"b\\"}', { a: "b" }],
    ['{\\"a\\": \\"say \\\\\\"hi\\\\\\"\\", \\"n\\": [1, 2]}', { a: 'say "hi"', n: [1, 2] }],
    ['{\\"text\\": \\"one\\\\ntwo\\"}', { text: "one\ntwo" }],
  ],
  "several-documents": [
    ['{"a": 1}\n{"a": 2}', { a: 1 }],
    ['{"a": 1} {"b": 2}', { a: 1 }],
    ["[1][2]", [1]],
  ],
  "missing-brackets": [
    ['{"a": 1}, {"a": 2}', [{ a: 1 }, { a: 2 }]],
    ["[1], [2]", [[1], [2]]],
    ["1, 2, 3", [1, 2, 3]],
  ],
  "duplicate-key": [
    ["{'a': 1, 'a': 2}", { a: 2 }],
    ['{"a": 1, "b": {"c": 1, "c": 2}, "a": 3,}', { a: 3, b: { c: 2 } }],
  ],
};

/** The text ended too early. */
const PARTIAL: Partial<Record<RepairKind, Case[]>> = {
  // The text ends inside a string: that only its quote is missing is a guess, and it may as well have been cut off.
  "missing-quote": [
    ['{"a": "b}', { a: "b" }],
    ['```json\n{"a": "b}\n```', { a: "b" }],
    ['["a, b]', ["a, b"]],
    ['{"a": "one, b: 2}', { a: "one", b: 2 }],
    ['{"path":"/a.js","content":"if (x) { y(); }', { path: "/a.js", content: "if (x) { y();" }],
  ],
  truncated: [
    ['{"a": "hel', { a: "hel" }],
    ['{"a": "tail\\', { a: "tail" }],
    ['{"a": "\\u00e', { a: "" }],
    ['{"a": "face \\ud83d', { a: "face " }],
    ['{"a": 12', { a: 12 }],
    ['{"a": 1.', { a: 1 }],
    ['{"a": -', {}],
    ['{"a": 2e', { a: 2 }],
    ['{"a": tr', { a: true }],
    ['{"a": nul', { a: null }],
    ['{"a": 1, "b', { a: 1 }],
    ['{"a": 1, "b"', { a: 1 }],
    ['{"a": 1, "b":', { a: 1 }],
    ['{"a": 1, b', { a: 1 }],
    ['{"a": {"b": "c, d', { a: { b: "c, d" } }],
    ['["x", "y', ["x", "y"]],
    ["{'a': 'b", { a: "b" }],
  ],
  unclosed: [
    ["{", {}],
    ["[", []],
    ['{"a": [1, {"b": 2}', { a: [1, { b: 2 }] }],
    ['{"a": {"b": [', { a: { b: [] } }],
    ['{"a": "b",', { a: "b" }],
    ['```json\n{"a": "b"', { a: "b" }],
    ['[[["x"]', [[["x"]]]],
  ],
};

describe.each(Object.entries(REPAIRED))("%s", (kind, cases) => {
  test.each(cases)("%j", (written, meant) => {
    const decoded = decode(written);
    expect(decoded).toMatchObject({
      ok: true,
      mode: "repaired",
      repairs: expect.arrayContaining([expect.objectContaining({ kind })]),
    });
    if (decoded.ok) expect(decoded.value).toEqual(meant);
  });
});

describe.each(Object.entries(PARTIAL))("%s", (kind, cases) => {
  test.each(cases)("%j", (written, meant) => {
    const decoded = decode(written);
    expect(decoded).toMatchObject({
      ok: true,
      mode: "partial",
      repairs: expect.arrayContaining([expect.objectContaining({ kind })]),
    });
    if (decoded.ok) expect(decoded.value).toEqual(meant);
  });
});

test("every kind of repair has a case here or beside what needs a schema", () => {
  const covered = new Set([...Object.keys(REPAIRED), ...Object.keys(PARTIAL)]);
  expect(REPAIR_KINDS.filter((kind) => !covered.has(kind))).toEqual([
    "number-text",
    "double-encoded",
    "empty",
    "near-key",
    "unknown-key",
    "unlisted",
  ]);
});
