/**
 * (`<|from|>assistant` line feed `<|recipient|>` N line feed `<|content|>` J)+ `<|stop|>`?, the first beginning with N
 * because the prompt ends there. The recipient `all` begins text.
 */
import type { Envelope, EnvelopeCall, ExtractFamily, ScanContext } from "../family.ts";
import { find, nameEnd, type Reading, skipSpace, startsWith } from "../input.ts";
import { readJson } from "../read-json.ts";

const FROM = "<|from|>";
const RECIPIENT = "<|recipient|>";
const CONTENT = "<|content|>";
const STOP = "<|stop|>";
const TEXT = "all";

/** The beginning of a message, whose first recipient the prompt asked for. Any text may be asked. */
function* readFirst(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  for (const name of [TEXT, ...scan.tools.names]) {
    if (yield* startsWith(scan.input, start, `${name}\n${CONTENT}`)) return yield* readFor(scan, start);
  }
  return undefined;
}

/** Another turn of the assistant, or of somebody else, which ends what the model said. */
function* readTurn(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const at = yield* skipTurn(scan, start);
  return at === undefined ? { calls: [], end: start, stops: true } : yield* readFor(scan, at);
}

/** The position after `assistant` and the token that names a recipient. */
function* skipTurn({ input }: ScanContext, start: number): Reading<number | undefined> {
  if (!(yield* startsWith(input, start, "assistant"))) return undefined;
  const at = yield* skipSpace(input, start + "assistant".length);
  return (yield* startsWith(input, at, RECIPIENT)) ? at + RECIPIENT.length : undefined;
}

function* readFor(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  const calls: EnvelopeCall[] = [];
  let end = -1;
  for (let from = start; ; ) {
    const stop = yield* nameEnd(input, from);
    const name = input.text.slice(from, stop);
    const content = yield* skipSpace(input, stop);
    if (!(yield* startsWith(input, content, CONTENT))) break;
    if (name === TEXT) {
      if (end !== -1) break;
      const next = yield* find(input, content, FROM);
      return { calls: [], end: next === -1 ? input.text.length : next };
    }
    const span = yield* readJson(input, yield* skipSpace(input, content + CONTENT.length), [FROM, STOP]);
    if (span === undefined) break;
    const tool = tools.get(name);
    const text = input.text.slice(span.start, span.end);
    if (tool !== undefined) calls.push({ name, arguments: text, complete: span.complete });
    end = span.end;
    const next = yield* skipSpace(input, end);
    if (yield* startsWith(input, next, STOP)) return { calls, end: next + STOP.length };
    if (!(yield* startsWith(input, next, FROM))) break;
    const turn = yield* skipTurn(scan, next + FROM.length);
    if (turn === undefined) break;
    from = turn;
  }
  return end === -1 ? undefined : { calls, end };
}

export const functionaryV2: ExtractFamily = {
  name: "functionary-v2",
  title: "Functionary 2",
  example: '<|from|>assistant\n<|recipient|>search\n<|content|>{"query": "x"}',
  openings: [
    { literal: "", at: "message", read: readFirst },
    { literal: FROM, at: "anywhere", read: readTurn },
    { literal: RECIPIENT, at: "anywhere", read: readFor },
  ],
};
