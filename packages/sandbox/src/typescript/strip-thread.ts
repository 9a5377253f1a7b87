import { stripTypeScriptTypes } from "node:module";
import { parentPort } from "node:worker_threads";

/** What the thread answers with: the text without types, or what Node's parser says of it. */
export type StripAnswer =
  | { kind: "stripped"; code: string }
  | { kind: "syntax" | "unsupported" | "broken" | "busy"; message: string; line: number | undefined };

/**
 * Takes types out of texts. It is a thread because the parser is no match for hostile text: 2,000 brackets break it for the
 * rest of its thread's life, and 20 nested type arguments keep it busy for seconds.
 */
parentPort?.on("message", (text: string) => parentPort?.postMessage(answerTo(text)));

function answerTo(text: string): StripAnswer {
  try {
    return { kind: "stripped", code: stripTypeScriptTypes(text) };
  } catch (error) {
    const { code, message, stack = "" } = error as Error & { code?: string };
    const line = /^[^\n]*:(\d+)\n/.exec(stack)?.[1];
    const kind = KINDS[code ?? ""];
    if (kind === undefined)
      return { kind: "broken", message: "It is nested too deeply to be read.", line: undefined };
    return { kind, message, line: line === undefined ? undefined : Number(line) };
  }
}

const KINDS: Readonly<Record<string, "syntax" | "unsupported">> = {
  ERR_INVALID_TYPESCRIPT_SYNTAX: "syntax",
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX: "unsupported",
};

// The first text loads the parser. The answer to it says that this is done.
parentPort?.postMessage(answerTo(""));
