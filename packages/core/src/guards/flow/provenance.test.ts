import { expect, test } from "vitest";
import { KnownText } from "./provenance.ts";

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
  expect(known(text).has(value)).toBe(true);
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
  ["a separator between texts", "mail bob", "bob carol"],
  ["nothing at all", "mail bob", ""],
  ["a blank", "mail bob", " "],
])("%s was not said", (_why, text, value) => {
  expect(known(text, "carol").has(value)).toBe(false);
});

test("text that is cut does not end in the middle of a word", () => {
  const text = known(`${"a ".repeat(99_995)}bob@y.org.evil.net`);
  expect(text.has("bob@y.org")).toBe(false);
  expect(text.has("a")).toBe(true);
});

test("long text and values that nearly occur end at once", () => {
  const text = known("a-".repeat(90_000));
  expect(text.has("a")).toBe(false);
  expect(known("1,".repeat(90_000)).has(1)).toBe(false);
});
