import { isDeepStrictEqual } from "node:util";
import { decode, decodeStream } from "@toolrig/json";
import { parsePartialJson } from "ai";
import { jsonrepair } from "jsonrepair";
import { parse as parsePartial } from "partial-json";
import type { Benchmark, Measured, Row, Table } from "../benchmark.ts";
import { BREAKAGES, broken, DOCUMENT_SCHEMA, documentOf } from "../documents.ts";
import { compare, type Subject } from "../harness.ts";

const SIZES = { "1 KB": 1_000, "100 KB": 100_000 } as const;
const STREAMED = 50_000;
const CHUNK = 16;

type Size = keyof typeof SIZES;

function reading(text: string, read: (text: string) => unknown): Subject {
  return (count) => {
    for (let index = 0; index < count; index++) {
      if (read(text) === undefined) throw new Error("Nothing was read.");
    }
  };
}

function decoded(text: string, schema?: unknown): unknown {
  const answer = decode(text, { schema });
  return answer.ok ? answer.value : undefined;
}

async function measureValid(): Promise<Measured> {
  const measured: Record<string, number> = {};
  for (const [size, length] of Object.entries(SIZES)) {
    const text = JSON.stringify(documentOf(length));
    const { plain, schema } = (await compare({
      parse: reading(text, JSON.parse),
      plain: reading(text, (each) => decoded(each)),
      schema: reading(text, (each) => decoded(each, DOCUMENT_SCHEMA)),
    })) as Record<"plain" | "schema", number>;
    measured[size] = plain;
    measured[`${size}, schema`] = schema;
  }
  return measured;
}

/** jsonrepair gives text, so the parse that a caller needs next is counted: both sides end with a value. */
const repaired = (text: string): unknown => JSON.parse(jsonrepair(text));

async function measureBroken(breakage: string): Promise<Measured> {
  const measured: Record<string, number> = {};
  for (const [size, length] of Object.entries(SIZES)) {
    const { text, value } = broken(breakage, length);
    if (breakage !== "cut off" && !isDeepStrictEqual(decoded(text), value)) {
      throw new Error(`decode did not recover the document with ${breakage}.`);
    }
    measured[size] = (
      await compare({ ours: reading(text, (each) => decoded(each)), theirs: reading(text, repaired) })
    ).theirs!;
  }
  return {
    ...measured,
    growth: await growth(breakage, decoded, 400_000),
    theirs: await growth(breakage, repaired, 200_000),
  };
}

/** By how much the time grows when the text doubles, at the worst of the doublings from 50 KB up to `length`. */
async function growth(breakage: string, read: (text: string) => unknown, length: number): Promise<number> {
  const subjects: Record<string, Subject> = {};
  for (let each = 50_000; each <= length; each *= 2) {
    subjects[`${each} characters`] = reading(broken(breakage, each).text, (text) => read(text));
  }
  const costs = Object.values(await compare(subjects, { slices: 7 }));
  return Math.max(...costs.slice(1).map((each, index) => each / costs[index]!));
}

/** Whoever shows arguments while they arrive wants the value after every chunk. */
async function measureStream(): Promise<Measured> {
  const text = JSON.stringify(documentOf(STREAMED));
  const whole = async (read: (text: string) => unknown) => {
    for (let end = CHUNK; end < text.length + CHUNK; end += CHUNK) await read(text.slice(0, end));
  };
  const peers = await compare(
    {
      ours: (count) => times(count, () => stream(text)),
      partialJson: (count) => times(count, () => whole((each) => parsePartial(each))),
      aiSdk: (count) => times(count, () => whole(parsePartialJson)),
    },
    { warmMs: 100, slices: 3 },
  );
  const long = JSON.stringify(documentOf(1_000_000));
  const half = JSON.stringify(documentOf(500_000));
  const doubling = await compare({
    half: (n) => times(n, () => stream(half)),
    full: (n) => times(n, () => stream(long)),
  });
  return { partialJson: peers.partialJson!, aiSdk: peers.aiSdk!, doubled: doubling.full! };
}

function stream(text: string): void {
  const decoding = decodeStream({});
  for (let start = 0; start < text.length; start += CHUNK) {
    decoding.push(text.slice(start, start + CHUNK));
    if (decoding.value === undefined && start > CHUNK) throw new Error("The stream showed nothing.");
  }
  if (!decoding.end().ok) throw new Error("The stream did not end in a value.");
}

async function times(count: number, operation: () => unknown): Promise<void> {
  for (let index = 0; index < count; index++) await operation();
}

const breakages = Object.keys(BREAKAGES);

function brokenTable(size: Size, atLeast: number): Table {
  const rows = breakages.map(
    (breakage): Row => ({ label: breakage, value: (round) => round(breakage)[size]!, goal: { atLeast } }),
  );
  return { title: `Broken, ${size}: jsonrepair to Toolrig`, rows };
}

const LINEAR = { atMost: 2.3 };

export const benchmark: Benchmark = {
  rounds: 5,
  cases: {
    valid: measureValid,
    stream: measureStream,
    ...Object.fromEntries(breakages.map((breakage) => [breakage, () => measureBroken(breakage)])),
  },
  tables: [
    {
      title: "Valid: Toolrig to JSON.parse",
      rows: (Object.keys(SIZES) as Size[]).flatMap((size): Row[] => [
        { label: size, value: (round) => round("valid")[size]!, goal: { atMost: 1.1 } },
        { label: `${size}, with a schema`, value: (round) => round("valid")[`${size}, schema`]! },
      ]),
    },
    brokenTable("1 KB", 3),
    brokenTable("100 KB", 10),
    {
      title: "Growth at the worst doubling, 50 to 400 KB",
      rows: breakages.flatMap((breakage): Row[] => [
        { label: breakage, value: (round) => round(breakage).growth!, goal: LINEAR },
        { label: `${breakage}, jsonrepair`, value: (round) => round(breakage).theirs! },
      ]),
    },
    {
      title: `Stream of 50 KB in ${CHUNK}-character chunks, value read after each`,
      rows: [
        { label: "AI SDK to Toolrig", value: (round) => round("stream").aiSdk!, goal: { atLeast: 50 } },
        {
          label: "partial-json to Toolrig",
          value: (round) => round("stream").partialJson!,
          goal: { atLeast: 50 },
        },
        { label: "Toolrig, 0.5 to 1 MB", value: (round) => round("stream").doubled!, goal: LINEAR },
      ],
    },
  ],
};
