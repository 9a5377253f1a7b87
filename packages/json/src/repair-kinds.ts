/**
 * Every kind of repair that decoding reports. Closed: a new kind is added here and in docs/repair.md, never invented
 * at the place that repairs. Within one string, a kind is reported once, at its first position.
 */
export const REPAIR_KINDS = [
  "byte-order-mark", // a byte order mark before the document was dropped
  "whitespace", // a space that JSON does not know, outside a string, was dropped
  "surrounding-text", // prose, tags or special tokens around the document were dropped
  "fence", // a Markdown code fence around the document was dropped
  "comment", // a comment was dropped
  "control-character", // a raw control character inside a string was kept as data
  "trailing-comma", // a comma before a closing bracket was dropped
  "extra-comma", // a leading or doubled comma was dropped
  "missing-comma",
  "missing-colon", // also `=` and `=>` written for a colon
  "missing-value", // a key without a value got null
  "quote", // single, curly, doubled or tripled quotes were read as double quotes
  "unescaped-quote", // a quote inside a string was kept as data
  "missing-quote", // a string's opening or closing quote was missing
  "unquoted-key",
  "unquoted-value",
  "literal", // True, None, undefined, NaN and the like
  "number", // a number written as JSON does not write it: +1, .5, 5., 0x1F, 1_000
  "number-text", // a number's own characters were kept as text, where the schema takes text and a number would lose some
  "escape", // an escape that JSON does not know
  "concatenation", // "a" + "b" was joined
  "ellipsis", // ... standing for left out elements was dropped
  "call", // a constructor around a value was dropped: ObjectId("x")
  "tuple", // parentheses were read as an array or as grouping
  "missing-opener", // keys inside an array were read as an object's
  "missing-closer", // a closing bracket was inserted before the end of the text
  "wrong-closer", // a closing bracket of the other kind was read as the right one
  "extra-closer", // a closing bracket without an opening one was dropped
  "early-closer", // an object went on after its closing bracket
  "extra-opener", // an opening bracket that was doubled was dropped
  "unexpected-text", // text that fits nowhere inside the document was dropped
  "escaped-document", // quotes of the whole document were escaped once too often
  "double-encoded", // a string that holds the expected object or array was decoded again
  "several-documents", // one of several documents was chosen
  "missing-brackets", // several values joined by commas were read as an array
  "empty", // nothing was written where an object was expected
  "duplicate-key", // the last one won
  "near-key", // not changed: an unknown key is one edit away from a known property
  "unknown-key", // not changed: the schema names properties, and this is none of them
  "truncated", // the text ended inside a string, number, literal, key or escape
  "unclosed", // the text ended inside an object or array
  "unlisted", // how many more repairs there were, past the first thousand
] as const;

export type RepairKind = (typeof REPAIR_KINDS)[number];
