import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode } from "./decode.ts";
import { decodeStream } from "./stream.ts";

function feed(text: string, size: number, onChunk?: (value: unknown, received: string) => void) {
  const stream = decodeStream();
  for (let i = 0; i < text.length; i += size) {
    stream.push(text.slice(i, i + size));
    onChunk?.(stream.value, text.slice(0, i + size));
  }
  return stream;
}

describe("the value so far", () => {
  test("grows with the text", () => {
    const seen: string[] = [];
    feed('{"path": "a.ts", "lines": [1, 22], "ok": true}', 6, (value) => seen.push(JSON.stringify(value)));
    expect(seen).toEqual([
      "{}",
      '{"path":"a."}',
      '{"path":"a.ts"}',
      '{"path":"a.ts"}',
      '{"path":"a.ts","lines":[1]}',
      '{"path":"a.ts","lines":[1,22]}',
      '{"path":"a.ts","lines":[1,22],"ok":true}',
      '{"path":"a.ts","lines":[1,22],"ok":true}',
    ]);
  });

  test("is undefined until there is one", () => {
    const stream = decodeStream();
    expect(stream.value).toBe(undefined);
    stream.push("Let me ");
    expect(stream.value).toBe(undefined);
    stream.push('see {braces} first. ```json\n{"a"');
    stream.push(": 1");
    expect(stream.value).toEqual({ a: 1 });
  });

  test("is read from broken text too", () => {
    const seen: unknown[] = [];
    feed("{'a': 'it's', b: [True, 1 2], // note\n c: 'x'", 1, (value) => seen.push(structuredClone(value)));
    expect(seen.at(-1)).toEqual({ a: "it's", b: [true, 1, 2], c: "x" });
  });

  test("never shows half a character", () => {
    for (const text of ['{"a": "😀😀"}', '{"a": "\\ud83d\\ude00"}']) {
      feed(text, 1, (value) => expect(JSON.stringify(value) ?? "").not.toMatch(/\\ud83d/));
    }
  });

  test.each(["{", "["])("survives nesting past the limit: %s", (opener) => {
    const stream = feed(opener.repeat(5_000), 7);
    expect(stream.end()).toEqual(decode(opener.repeat(5_000)));
  });

  /** Whether a string ended may take a literal to tell, so the value may be that far behind the text, never beside it. */
  const LAG = "false".length + 1;

  test("of a valid document is what decoding its prefix gives, at every moment", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0, 2),
        (value, size, space) => {
          const text = JSON.stringify(value, null, space);
          const stream = feed(text, size, (current, received) => {
            let lag = 0;
            while (lag < LAG && prefixValue(received, lag) !== JSON.stringify(current)) lag++;
            expect(JSON.stringify(current), received).toBe(prefixValue(received, lag));
          });
          expect(JSON.stringify(stream.value)).toBe(JSON.stringify(value));
        },
      ),
      { numRuns: 200 },
    );
  });
});

function prefixValue(received: string, lag: number): string | undefined {
  const decoded = decode(received.slice(0, Math.max(0, received.length - lag)), { complete: false });
  return decoded.ok ? JSON.stringify(decoded.value) : undefined;
}

describe("the end", () => {
  const noise = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(..."{}[]\",:'\\/ \n`a1"), maxLength: 50 }),
    fc.jsonValue().map((value) => `Sure: ${JSON.stringify(value).replaceAll('"', "'")} done`),
  );

  test("is what decode gives for the whole text, in whatever pieces it came", () => {
    fc.assert(
      fc.property(noise, fc.integer({ min: 1, max: 12 }), (text, size) => {
        expect(feed(text, size).end()).toEqual(decode(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test("says partial when the model was stopped", () => {
    expect(feed('{"a": 1}', 3).end({ complete: false })).toEqual(decode('{"a": 1}', { complete: false }));
  });

  test("uses the schema", () => {
    const schema = { properties: { a: { type: "string" } } };
    const stream = decodeStream({ schema });
    stream.push("{a: 0x");
    stream.push("10}");
    expect(stream.value).toEqual({ a: "0x10" });
    expect(stream.end()).toEqual(decode("{a: 0x10}", { schema }));
  });
});
