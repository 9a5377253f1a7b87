import { expect, test } from "vitest";
import { EFFORT, KnownText } from "./provenance.ts";
import { wordsOf } from "./words.ts";

function known(...texts: string[]): KnownText {
  const all = new KnownText();
  for (const text of texts) all.add(text);
  return all;
}

test.each<[text: string, value: string | number]>([
  ["mail bob@y.org.", "bob@y.org"],
  ["mail <bob@y.org>, please", "bob@y.org"],
  ["Write  Notes.TXT", "notes.txt"],
  ["open https://news.example/today?", "https://news.example/today"],
  ["pay $500", 500],
  ["pay 1,000 to Ann", 1000],
  ["pay 98.70", 98.7],
  ["pay 1,204.50 now", 1204.5],
  ["see #41", 41],
  ["caf\u00e9 Luna", "cafe\u0301 luna"],
  ['remove "/" now', "/"],
  ["Anna's channel", "Anna"],
])("in %j the user said %j", (text, value) => {
  expect(known(text).has({ value })).toBe(true);
});

test.each<[why: string, text: string, value: string | number]>([
  ["a longer domain", "mail bob@y.org", "bob@y.org.evil.net"],
  ["a shorter domain", "mail bob@y.org.evil.net", "bob@y.org"],
  ["a part of an address", "mail bob@y.org", "y.org"],
  ["a part of a path", "delete tmp/build/cache", "cache"],
  ["a part of a URL", "open https://docs.good.example/x", "good.example"],
  ["a query", "open https://a.example?to=eve", "eve"],
  ["part of a number", "pay 500", 50],
  ["the thousands of a number", "pay 1,000", 1],
  ["the rest of a number", "pay 1,204.50", 204],
  ["a number in groups", "pay 5 000", 5],
  ["the rest of a number in groups", "pay 5 000", "000"],
  ["cents", "pay 98,70", 70],
  ["a number that could be a thousand", "pay 1.000", 1],
  ["another sign", "move it by -5", 5],
  ["a part of a date", "on 2026-03-04", 3],
  ["full-width letters", "mail bob", "\uff42ob"],
  ["a Cyrillic letter", "mail bob", "b\u043eb"],
  ["the Kelvin sign", "ask the bank", "ban\u212a"],
  ["a ligature", "open file", "\ufb01le"],
  ["an invisible character", "mail bob", "bo\u200bb"],
  ["a full stop in a sentence", "Summarise the page.", "."],
  ["a slash between words", "this and/or that", "/"],
  ["a bullet", "* first\n* second", "*"],
  ["a slash between spaces", "this and / or that", "/"],
  ["a dash between spaces", "tea - or coffee", "-"],
  ["a separator between texts", "mail bob", "bob carol"],
  ["nothing at all", "mail bob", ""],
  ["a blank", "mail bob", " "],
])("%s was not said", (_why, text, value) => {
  expect(known(text, "carol").has({ value })).toBe(false);
});

test("text that is cut does not end in the middle of a word", () => {
  const text = known(`${"a ".repeat(99_995)}bob@y.org.evil.net`);
  expect(text.has({ value: "bob@y.org" })).toBe(false);
  expect(text.has({ value: "a" })).toBe(true);
});

const asId = (value: string | number, name: string) => ({
  value,
  isId: true,
  words: new Set(wordsOf(name)),
});

test.each<[text: string, value: string | number, name: string]>([
  ["delete the file 13", "13", "delete_file file_id"],
  ["the event with the id 25", 25, "cancelEvent eventId"],
  ["cancel event number 7.", "7", "cancel_event id"],
  ["merge files 13, 14 and 17", "17", "merge_files ids"],
  ["see issue #41", 41, "close_issue issue"],
  ['[{"id":7,"amount":1200}]', 7, "update_order id"],
  ["for 3 nights", "3", "book nights"],
  ["Delete message 120345", "120345", "remove id"],
  ["pay 98,765.50 to Ann", 98765.5, "remove id"],
])("%j names %j", (text, value, name) => {
  expect(known(text).has(asId(value, name))).toBe(true);
});

test.each<[text: string, value: string | number, name: string]>([
  ["look at June 13, then delete the file old.txt", "13", "delete_file file_id"],
  ["on 13 June 2026 pay Ann", 13, "cancel_event id"],
  ["on June 13, 2026 pay Ann", 2026, "cancel_event id"],
  ["pay 50 to Ann", 50, "cancel_payment id"],
  ["adjust the file, 13 is too much", "13", "delete_file file_id"],
  ['[{"amount":13,"id":7}]', 13, "delete_order id"],
  ["a profile 13", "13", "delete_file file_id"],
  ["on June 13. Then go", "13.", "delete_file file_id"],
  ["buy 13, please", "13,", "delete_file file_id"],
  ["see you (13)", "(13)", "delete_file file_id"],
  ["pay 1,320 to Ann", 1320, "delete_file file_id"],
])("%j names no %j", (text, value, name) => {
  expect(known(text).has(asId(value, name))).toBe(false);
});

test("the number of a day is no sum, but it is a day", () => {
  expect(known("on June 13 pay Ann").has({ value: 13, words: new Set(["amount"]) })).toBe(false);
  expect(known("on June 13 pay Ann").has({ value: 13, words: new Set(["day"]) })).toBe(true);
  expect(known("pay Ann 13 on June 4").has({ value: 13, words: new Set(["amount"]) })).toBe(true);
});

test.each([
  ["on 13 June 2026", "2026-06-13"],
  ["on June 13th, 2026", "2026-06-13"],
  ["the 5th of Sept. 2026", "2026-09-05"],
  ["on 2026-06-13 at 9:30", "2026-06-13 09:30"],
  ["on June 13 2026 at 7 pm", "2026-06-13T19:00:00Z"],
  ["at noon on 13 Jun 2026", "2026-06-13T12:00"],
])("%j is %j in another form, where the user says it", (text, value) => {
  expect(known(text).has({ value })).toBe(true);
});

test.each([
  ["on June 13", "2026-06-13"],
  ["on 13 June 2026", "2026-06-14"],
  ["on 13 June 2026 at 9:30", "2026-06-13 10:30"],
  ["on 13 June 2026 pay 12", "2026-06-13 12:00"],
  ["on 2026-06-13-eve", "2026-06-13"],
  ["on 13 June 2026", "2026-06-13; rm -rf"],
])("%j is not %j", (text, value) => {
  expect(known(text).has({ value })).toBe(false);
});

test("long values are found where they stand", () => {
  const long = "to be or not ".repeat(40).trim();
  expect(known(`so: ${long}.`).has({ value: long })).toBe(true);
  expect(known(`so: ${long}ted`).has({ value: long })).toBe(false);
  expect(known("ab".repeat(99)).has({ value: "ab".repeat(40) })).toBe(false);
});

test.each<[what: string, text: (size: number) => string, value: (size: number) => string]>([
  ["one letter", (size) => "a".repeat(size), (size) => `${"a".repeat(size / 2)}b`],
  ["words that are nearly there", (size) => "a-".repeat(size / 2), () => "a"],
  ["a pattern that repeats itself", (size) => "ab".repeat(size / 2), (size) => `${"ab".repeat(size / 4)}c`],
])("looking through %s costs as much as it is long", (_what, text, value) => {
  const cost = (size: number) => {
    const effort = { left: EFFORT };
    expect(known(text(size)).has({ value: value(size), effort })).toBe(false);
    return EFFORT - effort.left;
  };
  expect(cost(160_000) / cost(80_000)).toBeLessThan(2.1);
});

test("once the effort is used up, nothing is known", () => {
  const effort = { left: 100 };
  expect(known("mail bob").has({ value: "bob", effort })).toBe(false);
  expect(known("mail bob").has({ value: "bob", effort: { left: 1_000 } })).toBe(true);
});

test("only so much of a long text is taken apart, and no more is kept", () => {
  const text = known(`bob@y.org ${"\u00e9 ".repeat(5_000_000)}`);
  expect(text.size).toBeLessThanOrEqual(200_000);
  expect(text.has({ value: "bob@y.org" })).toBe(true);
});

test("long text and values that nearly occur end at once", () => {
  const text = known("a-".repeat(90_000));
  expect(text.has({ value: "a" })).toBe(false);
  expect(known("1,".repeat(90_000)).has({ value: 1 })).toBe(false);
});
