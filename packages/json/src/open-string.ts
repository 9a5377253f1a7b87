/** A string whose end has not been seen. Offsets are into the text at hand and move with it. */
export interface OpenString {
  quote: number;
  key: boolean;
  /** The quotes were written twice. */
  doubled: boolean;
  /** Offset of the first character of the content. */
  start: number;
  /** Content decoded so far, up to `from`. */
  content: string;
  from: number;
  scan: number;
  /** A quote inside that may have been the next string's opening one, or -1, and where this string would then end. */
  reopened: number;
  cut: number;
  cutLength: number;
  /** A quote inside opened a quotation that is not closed yet. */
  quoting: boolean;
  /** Brackets opened but not closed inside the content, counted up to `counted`. */
  counted: number;
  braces: number;
  brackets: number;
  parens: number;
  /** State of the quotation that the last quote inside began, and whether pairs of quotes read like what joins strings, or like text. */
  quotation: number;
  joins: boolean;
  quotes: boolean;
  /** The content is JSON whose own quotes were not escaped: it goes on until its brackets are closed. */
  nested: boolean;
  /** Backslashes are data, as in a Windows path. */
  literal: boolean;
  /** Bit set of the repairs that were reported for this string. */
  reported: number;
}

/** A string that has not begun; one object serves all strings of a document. */
export function newString(): OpenString {
  return {
    quote: 0,
    key: false,
    doubled: false,
    start: 0,
    content: "",
    from: 0,
    scan: 0,
    reopened: -1,
    cut: 0,
    cutLength: 0,
    quoting: false,
    counted: 0,
    braces: 0,
    brackets: 0,
    parens: 0,
    quotation: 0,
    joins: false,
    quotes: false,
    nested: false,
    literal: false,
    reported: 0,
  };
}
