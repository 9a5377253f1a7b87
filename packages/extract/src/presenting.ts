import { isActing } from "./acting.ts";

/** A file as a sentence names it. */
const FILE =
  "[`\"'*(]*[\\w./~-]*[\\w-]\\.(?:jsonl?|ndjson|txt|md|ya?ml|toml|log|csv|tsv|xml|html?|ini|cfg|conf|env|py|[jt]sx?|sh|sql|eml)[`\"'*)]*";

/** A title that is a file's name. */
const FILE_ALONE = new RegExp(`^${FILE}$`, "i");

const NAMES_FILE = new RegExp(`(?:^|\\s)${FILE}`, "i");

/** What a logger puts before a message: a time, or a level. */
const LOGGED =
  /^[\s[(<]*(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ +\d\d:|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|level=|ts=)/;

/**
 * Whether a sentence, which leads up to a call, presents it as something that exists: it ends with a colon, and does
 * not say that the speaker is doing something now. So do the name of a file and what a logger writes.
 */
export function isPresented(sentence: string): boolean {
  const plain = sentence.slice(sentence.lastIndexOf("\n") + 1).replace(/^[\s#*_>-]+|[*_\s]+$/g, "");
  if (FILE_ALONE.test(plain)) return true;
  if (isActing(plain)) return false;
  return LOGGED.test(plain) || /[:：]$/.test(plain);
}

/** Whether the title of a paragraph presents it, although `sentence`, the last one of it, may say what is being done. */
export function isPresentedBy(title: string, sentence: string): boolean {
  return title !== "" && isPresented(title) && (NAMES_FILE.test(title) || !isActing(sentence));
}
