import type { CallRecord } from "@toolrig/core";
import type { Database } from "../database/database.ts";
import { decodeCall, searchable } from "./body.ts";
import { isNotice } from "./notices.ts";
import { LATE, type RecordRow } from "./query.ts";
import { indexTags } from "./search-text.ts";
import type { Report } from "./verify.ts";

/** A word of the full-text index, where it stands. */
interface Term {
  term: string;
  doc: number;
  col: string;
  offset: number;
}

/**
 * Makes the full-text index anew from the records, and compares the two word by word: a record that was taken out of it,
 * or is in it with other words, would not be found. To be run in a snapshot, which takes what is made here with it.
 */
export function verifyText(database: Database, report: Report): void {
  database.exec(`
    CREATE VIRTUAL TABLE temp.expected_text USING fts5 (
      text, tags, content = '', tokenize = "unicode61 remove_diacritics 2"
    );
    CREATE VIRTUAL TABLE temp.expected_terms USING fts5vocab ('temp', 'expected_text', 'instance');
    CREATE VIRTUAL TABLE temp.found_terms USING fts5vocab ('main', 'record_text', 'instance');
  `);
  const insert = database.prepare("INSERT INTO temp.expected_text (rowid, text, tags) VALUES (?, ?, ?)");
  for (const row of database.prepare<RecordRow>("SELECT * FROM records").iterate()) {
    const record = row.kind === LATE || isNotice(row.kind) ? undefined : readable(row.body);
    if (record !== undefined) insert.run(row.seq, searchable(record), indexTags(row.tool, row.kind));
  }
  const different = firstDifference(termsOf(database, "expected"), termsOf(database, "found"));
  if (different !== undefined)
    report(different, "changed", `The full-text index does not agree with row ${different}.`);
}

/** What cannot be read has been reported by whoever looked at its hash. */
function readable(body: string): CallRecord | undefined {
  try {
    return decodeCall(body);
  } catch {
    return undefined;
  }
}

function termsOf(database: Database, which: "expected" | "found"): Iterator<Term> {
  const terms = database.prepare<Term>(`SELECT term, doc, col, offset FROM temp.${which}_terms`).iterate();
  return terms[Symbol.iterator]();
}

/** The record at which two lists of terms, both in the order of the index, part. */
function firstDifference(expected: Iterator<Term>, found: Iterator<Term>): number | undefined {
  for (;;) {
    const [a, b] = [expected.next(), found.next()];
    if (a.done && b.done) return undefined;
    if (a.done) return b.value.doc;
    if (b.done) return a.value.doc;
    const { value: one } = a;
    const { value: other } = b;
    if (one.term !== other.term) return one.term < other.term ? one.doc : other.doc;
    if (one.doc !== other.doc || one.col !== other.col || one.offset !== other.offset)
      return Math.min(one.doc, other.doc);
  }
}
