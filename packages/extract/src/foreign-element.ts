import { findNear, type Input, nameEnd, type Reading } from "./input.ts";

/** Names of elements whose text is shown, or was written by somebody else. */
const NAMES = new Set([
  ...[
    "result",
    "results",
    "output",
    "stdout",
    "stderr",
    "tools",
    "document",
    "documents",
    "example",
    "examples",
  ],
  ...[
    "code",
    "pre",
    "blockquote",
    "quote",
    "excerpt",
    "snippet",
    "email",
    "page",
    "webpage",
    "website",
    "article",
  ],
  ...["file", "context", "source", "sources", "transcript", "conversation", "log", "logs", "system", "user"],
  ...["system-reminder", "user_input", "untrusted"],
]);

/** Names made of two words, the last of which says the same: `search_results`, `api_response`, `page-content`. */
const COMPOUND =
  /[_:-](?:results?|responses?|outputs?|observations?|documents?|contents?|snippets?|excerpts?|examples?|sources?|pages?|e?mails?|messages?|files?|logs?|transcripts?|data|context)(?:[_-]?\d+)?$/i;

const MAX_ATTRIBUTES = 300;

/**
 * The element that opens at `at`, if its text is not the model's own. Whether it is closed is for the caller to find
 * out: the same words occur alone in prose.
 */
export function* foreignElement(
  input: Input,
  at: number,
): Reading<{ name: string; close: string; end: number } | undefined> {
  const end = yield* nameEnd(input, at + 1);
  const name = input.text.slice(at + 1, end);
  if (!NAMES.has(name.toLowerCase()) && !COMPOUND.test(name)) return undefined;
  const close = yield* findNear(input, end, ">", MAX_ATTRIBUTES);
  if (close === -1 || !/^(?:\s[^<]*)?$/.test(input.text.slice(end, close))) return undefined;
  return { name, close: `</${name}>`, end: close + 1 };
}
