/** A file as a sentence names it. */
const FILE =
  "[`\"'*(]*[\\w./~-]*[\\w-]\\.(?:jsonl?|ndjson|txt|md|ya?ml|toml|log|csv|tsv|xml|html?|ini|cfg|conf|env|py|[jt]sx?|sh|sql|eml)[`\"'*)]*";

/** Things that hold text which somebody wrote before. */
const HOLDER =
  "(?:files?|pages?|logs?|e-?mails?|mails?|messages?|tickets?|transcripts?|documents?|notes?|entr(?:y|ies)|records?|attachments?|comments?|issues?|histor(?:y|ies)|audit|trail|traces?|dumps?|listings?|excerpts?|snippets?|clipboard|inbox|readme|archives?|chats?|prompts?|requests?|body|quotes?|pastes?)";

/** A thing and what it holds: `Contents of notes.txt`, `the body of the mail`, `line 12 of app.log`. */
const CONTENTS =
  /\b(?:contents?|text|body|source|excerpt|copy|dump|listing|transcript|head|tail|rest|top|bottom|lines? [\d\s–-]+) (?:of|in|from)\b/i;

/** No more than the name of a thing that holds text, or where one is: `config.json`, `In notes.txt`, `From the audit log`. */
const NAMED = new RegExp(
  `^(?!(?:check|search|read|open|look|list|get|fetch|find|load|inspect|query|update|create|delete|add|send|write|edit|run|view|scan|call|use|make|start|stop|rename|move)\\b)(?:(?:in|from|inside|within|see|file(?:name)?|path|source|attached)\\b[\\s:]*)?(?:${FILE}|(?:(?:the|this|that|your|our|my|an?|last|yesterday's|today's)\\s+)*(?:[\\w-]+\\s+){0,2}${HOLDER}(?:\\s+#?\\d+)?)(?:\\s*\\([^)]*\\))?\\W*$`,
  "i",
);

/** A title that is a file's name. */
const FILE_ALONE = new RegExp(`^${FILE}$`, "i");

/** `Here is the log`, `these are my notes`, `attached is the mail`. */
const HERE = new RegExp(
  `\\b(?:here(?:'s|’s| is| are| comes?)|this is|these are|attached (?:is|are)|below (?:is|are)|following (?:is|are)|found this in)\\b[^\\n]*\\b${HOLDER}\\b`,
  "i",
);

/** Tells the reader to do something with what follows. */
const HAND_OVER =
  /^(?:(?:please|now|then|next|first|finally|and|just|you can)\b[\s,]*)*(?:save|store|put|paste|copy|place|add|append|insert|drop|include|type|enter|send|post|submit|commit|replace)\b[^\n]*\b(?:this|that|it|these|(?:the )?following|below|snippet|block)\b/i;

/** Points at what follows to talk about it: `You asked what this does`, `Is this right`, `Meaning of the call`. */
const TALKED_ABOUT = [
  /\b(?:ask(?:ed|s|ing)?|wonder(?:ed|ing)?|want(?:ed)? to know|question|unsure|know)\b[^\n]*\b(?:what|why|how|whether|if|about|who|when)\b[^\n]*\b(?:this|that|these|those|it|following)\b/i,
  /^(?:what|why|how|who|is|are|was|does|did|can|could)\b[^\n]*\b(?:this|that|these|following)\b/i,
  /\b(?:meaning|explanation|translation|purpose|structure|breakdown) of\b/i,
];

/** Somebody said, did or recorded it before. */
const REPORTED =
  /(?:\b(?:answered|replied|responded|wrote|written|logged|recorded|printed|emitted|sent|posted|pasted|shared|quoted|typed|captured|received|contained|held|holds|has|had|showed|stored|saved|forwarded|blocked|rejected|refused|denied)\b|\b(?:i|we|it|he|she|they|you|agent|assistant|model|bot|user)\s+(?:just |already |then |last |first )?(?:called|ran|executed|made|tried|attempted)\b|\bwhat happened\b)(?:\s+(?:me|us|back|you|it|this|that|these|in|there|here|was|were|earlier|before|yesterday|today|then|with|the following|as follows|last (?:time|week|night)))*\s*:$/i;

/** The speaker says what is being done: `Reading notes.txt`, `Next, checking the log`. */
const NARRATES =
  /^(?:(?:now|next|then|first|second|third|last|finally|so|ok|okay|right|alright|and|done|great|sure|step \d+|\d+[.)])\b[\s,:.!-]*)*(?!(?:following|according|warning|during|nothing|something|listing|meaning|morning|evening|incoming|outgoing|pending|existing|remaining)\b)\w{2,}ing\b/i;

/** What a logger puts before a message: a time, or a level. */
const LOGGED =
  /^[\s[(<]*(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ +\d\d:|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|level=|ts=)/;

/**
 * Whether a sentence, which leads up to a call, presents it as something that exists: what a file or a log holds, what
 * somebody said, what the reader is to save or asked about. A sentence that says what is being done does not.
 */
export function isPresented(sentence: string): boolean {
  const plain = sentence.slice(sentence.lastIndexOf("\n") + 1).replace(/^[\s#*_>-]+|[*_\s]+$/g, "");
  if (NARRATES.test(plain)) return false;
  if (LOGGED.test(plain)) return true;
  if (!/[:：]$/.test(plain)) return FILE_ALONE.test(plain);
  return [CONTENTS, NAMED, HERE, HAND_OVER, ...TALKED_ABOUT, REPORTED].some((pattern) => pattern.test(plain));
}
