import type { ProgressUpdate } from "@toolrig/core";

/** How many reports wait for a reader who is slow; older ones are dropped, since each says how far things are now. */
const MAX_WAITING = 1_000;

/**
 * What a tool tells while it runs, then what it comes to, as the AI SDK takes a stream of results: each value is preliminary, the
 * last one is the result.
 */
export async function* streamed(
  run: (onProgress: (update: ProgressUpdate) => void) => Promise<unknown>,
): AsyncGenerator<unknown, void, undefined> {
  const waiting: ProgressUpdate[] = [];
  let wake = () => {};
  const result = run((update) => {
    if (waiting.length >= MAX_WAITING) waiting.shift();
    waiting.push(update);
    wake();
  });
  let isOver = false;
  const over = () => {
    isOver = true;
    wake();
  };
  result.then(over, over);
  while (!isOver) {
    for (let update = waiting.shift(); update !== undefined; update = waiting.shift())
      yield preliminary(update);
    if (isOver) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  for (const update of waiting) yield preliminary(update);
  yield await result;
}

/** What a tool of the AI SDK yielded comes out as it was; other tools tell more than one thing. */
function preliminary({ content, details, progress }: ProgressUpdate): unknown {
  if (progress === undefined && content === undefined) return details;
  if (progress === undefined && details === undefined) return content;
  return { progress, content, details };
}
