import { check } from "@toolrig/core/kit";
import { wrapped } from "../beneath/raw-arguments.ts";

/** An event of a response, as far as it is read. */
interface PiEvent {
  type: string;
  contentIndex?: number;
  delta?: string;
  toolCall?: PiCall;
  partial?: PiMessage;
  message?: PiMessage;
}

interface PiMessage {
  content: readonly (PiCall | { type: string })[];
}

interface PiCall {
  type: "toolCall";
  arguments: Record<string, unknown>;
}

/**
 * A `streamFn` that keeps the model's own argument text. pi closes what was cut off and makes an empty object of what it cannot
 * read; a tool of a rig then gets the text itself, and repairs it or says what is wrong with it.
 */
export function withRawArguments<Stream extends (...args: never[]) => unknown>(streamFn: Stream): Stream {
  check.function("streamFn", streamFn);
  const hearing = async (...args: never[]) => {
    const stream = (await streamFn(...args)) as AsyncIterable<PiEvent>;
    const events = stream[Symbol.asyncIterator].bind(stream);
    stream[Symbol.asyncIterator] = () => heard(events());
    return stream;
  };
  return hearing as unknown as Stream;
}

async function* heard(events: AsyncIterator<PiEvent>): AsyncGenerator<PiEvent> {
  const texts = new Map<number, string>();
  const kept = new Map<number, Record<string, string>>();
  for await (const event of { [Symbol.asyncIterator]: () => events }) {
    const { type, contentIndex: at = -1, delta = "", toolCall, partial, message } = event;
    if (type === "toolcall_delta") texts.set(at, (texts.get(at) ?? "") + delta);
    if (type === "toolcall_end") {
      const args = wrapped(texts.get(at) ?? "", true);
      if (args !== undefined) kept.set(at, args);
      if (args !== undefined && toolCall !== undefined) toolCall.arguments = args;
      keep(partial, kept);
    }
    if (type === "done") keep(message, kept);
    yield event;
  }
}

function keep(message: PiMessage | undefined, kept: ReadonlyMap<number, Record<string, string>>): void {
  for (const [at, args] of kept) {
    const call = message?.content[at];
    if (call !== undefined && isCall(call)) call.arguments = args;
  }
}

function isCall(part: PiCall | { type: string }): part is PiCall {
  return part.type === "toolCall";
}
