import { type ExtractOptions, extract, extractStream, families } from "@toolrig/extract";

/** Sizes that are compared: three doublings apart, which is less noise than one. */
const SMALL = 30_000;
const DOUBLINGS = 3;
/** A ratio above the goal is measured again up to this often: other work on the machine only ever adds. */
const ROUNDS = 6;

const tools = [
  { name: "search", inputSchema: { type: "object", properties: { query: { type: "string" } } } },
  { name: "now" },
];

/** A text of any length: a beginning, and a part that is repeated; `numbered` parts differ from each other. */
interface Shape {
  readonly what: string;
  readonly head: string;
  readonly unit: string;
  readonly numbered?: boolean;
}

/** Things that never end, and things that are of no use to anybody, whatever the family. */
const ANYWHERE = [
  ...[
    "<tool_call>",
    '<tool_call>{"',
    '<TOOLCALL>{"x<tool_call>{"x',
    '\n{"a x',
    "\n[{",
    "`` `",
    "\n```json\n{",
  ],
  ...[
    "<think></think>",
    "<code>",
    "<|start|>assistant",
    "\n[now(a='",
    "Action: now\nAction Input: {",
    "<![CDATA[",
  ],
  "For example: Action: now\nAction Input: {}\n",
];

export interface Growth {
  family: string;
  /** The worst factor by which time grows with twice the text. */
  worst: number;
  /** What is repeated there, and the milliseconds it takes for the longer text. */
  what: string;
  milliseconds: number;
}

/** How the time of every family grows with its text, with the family found and known, whole and in chunks. */
export function* growthOfFamilies(goal: number): Generator<Growth> {
  yield worstOf(
    "any",
    ANYWHERE.map((unit) => ({ what: unit, head: "", unit })),
    [undefined],
    goal,
  );
  for (const { name, example } of families) yield worstOf(name, shapesOf(example), [undefined, name], goal);
}

function worstOf(family: string, shapes: Shape[], pins: (string | undefined)[], goal: number): Growth {
  let worst: Growth = { family, worst: 0, what: "", milliseconds: 0 };
  for (const shape of shapes) {
    for (const pin of pins) {
      for (const chunk of [Number.POSITIVE_INFINITY, 64]) {
        if (chunk === 64 && pin !== undefined) continue;
        const { ratio, milliseconds } = doubling(
          shape,
          { tools, family: pin, reasoning: "closed" },
          chunk,
          goal,
        );
        const how = `${shape.what}${pin === undefined ? "" : ", known"}${chunk === 64 ? ", in chunks" : ""}`;
        if (ratio > worst.worst) worst = { family, worst: ratio, what: how, milliseconds };
      }
    }
  }
  return worst;
}

/** The example repeated, whole and cut where its parts end, with closers missing, doubled and on their own. */
function shapesOf(example: string): Shape[] {
  const value = example.search(/\bx\b/);
  const head = example.slice(0, value);
  const parts = example.slice(value + 1).match(/<[^>]*>|[^<]+/g) ?? [];
  const [closer = "x"] = parts;
  const opener = /^\S[^\s{(>]*>?/.exec(example)?.[0] ?? example;
  const shapes: Shape[] = [
    { what: "calls", head: "", unit: `${example}\n` },
    { what: "explained calls", head: "", unit: `For example: ${example}\n` },
    { what: "different parameters", head: "", unit: example, numbered: true },
    { what: "openings", head: "", unit: opener },
    { what: "calls cut before the value", head: "", unit: head },
    { what: "calls cut in the value", head: "", unit: `${head}x` },
    { what: "calls cut after the value", head: "", unit: `${head}x${closer}\n` },
    { what: "calls without their last part", head: "", unit: `${head}x${parts.slice(0, -1).join("")}\n` },
    { what: "closers in a value", head, unit: closer },
    { what: "all closers in a value", head, unit: `${parts.join("")}\n` },
    { what: "last closers in a value", head, unit: parts.at(-1) ?? closer },
    { what: "openings in a value", head, unit: head },
    { what: "values in a value", head, unit: `x${closer}x` },
    { what: "open CDATA", head: "", unit: `${head}<![CDATA[x${parts.join("")}\n` },
  ];
  return shapes.filter(({ unit }) => unit !== "");
}

function doubling(
  shape: Shape,
  options: ExtractOptions,
  chunk: number,
  goal: number,
): { ratio: number; milliseconds: number } {
  const small = shapeText(shape, SMALL);
  const large = shapeText(shape, SMALL * 2 ** DOUBLINGS);
  let least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && (round < 2 || ratio > goal); round++) {
    least = {
      small: Math.min(
        least.small,
        processorTime(() => read(small, options, chunk)),
      ),
      large: Math.min(
        least.large,
        processorTime(() => read(large, options, chunk)),
      ),
    };
    // Below half a millisecond the clock says nothing.
    ratio = (least.large / Math.max(0.5, least.small)) ** (1 / DOUBLINGS);
  }
  return { ratio, milliseconds: least.large };
}

function shapeText({ head, unit, numbered }: Shape, length: number): string {
  const count = Math.ceil(length / unit.length);
  if (numbered !== true) return head + unit.repeat(count);
  const parts = unit.match(/[\s\S]*?query[\s\S]*?\bx\b[^<]*(?:<[^>]*>)?/)?.[0] ?? unit;
  const from = Math.max(0, parts.lastIndexOf("<", parts.indexOf("query")));
  const parameter = parts.slice(from);
  const repeated = Array.from({ length: count }, (_, index) => parameter.replace("query", `query${index}`));
  return parts.slice(0, from) + repeated.join("\n");
}

function read(text: string, options: ExtractOptions, chunk: number): void {
  if (chunk >= text.length) {
    extract(text, options);
    return;
  }
  const stream = extractStream(options);
  for (let at = 0; at < text.length; at += chunk) stream.push(text.slice(at, at + chunk));
  stream.end();
}

/** Milliseconds of this process, so that other work on the machine counts little. */
function processorTime(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
