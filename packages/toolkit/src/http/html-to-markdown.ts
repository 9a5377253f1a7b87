import { Parser } from "htmlparser2";
import { MarkdownWriter } from "./markdown-writer.ts";

/** What is not for readers, or not there for them. */
const SKIPPED: ReadonlySet<string> = new Set(
  "script style noscript template svg math iframe object embed canvas audio video head nav footer dialog select datalist".split(
    " ",
  ),
);
/** What may be in a head: it ends before anything else, with or without its end tag. */
const IN_HEAD: ReadonlySet<string> = new Set(
  "head title base link meta style script noscript template".split(" "),
);
/** Elements that have no end. */
const VOID: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);
/** A page that is nested more deeply is not one for readers; parsing it would take longer and longer. */
const MAX_DEPTH = 1_000;

export interface ReadablePage {
  title: string;
  markdown: string;
  /** Whether it was given up on because of its nesting. */
  cut: boolean;
}

class TooDeep extends Error {}

/**
 * What a page says to its readers, as Markdown. Nothing in it is run or fetched; what is hidden is left out. Takes time and
 * memory in proportion to the page, whatever it holds.
 */
export function htmlToMarkdown(html: string, base: URL): ReadablePage {
  const writer = new MarkdownWriter(base);
  const open: string[] = [];
  let skippedAt = Number.POSITIVE_INFINITY;
  let inTitle = false;
  let title = "";
  /** Ends a head that is open where something comes that cannot be in one. */
  const endHead = (depth: number) => {
    if (open[skippedAt - 1] === "head" && depth === skippedAt) skippedAt = Number.POSITIVE_INFINITY;
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (!IN_HEAD.has(name)) endHead(open.length);
        if (open.push(name) > MAX_DEPTH) throw new TooDeep();
        if (name === "title") inTitle = title === "";
        if (open.length >= skippedAt) return;
        if (SKIPPED.has(name) || isHidden(attributes)) skippedAt = open.length;
        else writer.open(name, attributes);
      },
      ontext(text) {
        if (!inTitle && text.trim() !== "") endHead(open.length);
        if (inTitle && title.length < 500) title += text;
        else if (open.length < skippedAt) writer.text(text);
      },
      onclosetag(name) {
        const depth = open.length;
        if (open.pop() !== name && !VOID.has(name)) open.length = Math.max(0, open.lastIndexOf(name));
        if (name === "title") inTitle = false;
        if (depth < skippedAt) writer.close(name);
        else if (open.length < skippedAt) skippedAt = Number.POSITIVE_INFINITY;
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  const cut = !parsed(parser, html);
  return { title: title.replaceAll(/\s+/g, " ").trim().slice(0, 300), markdown: writer.end(), cut };
}

function parsed(parser: Parser, html: string): boolean {
  try {
    parser.end(html);
    return true;
  } catch (error) {
    if (error instanceof TooDeep) return false;
    throw error;
  }
}

/** Styles of an element itself by which nothing of it is seen. Style sheets are not read. */
const HIDING =
  /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:font-size|opacity)\s*:\s*0*\.?0+(?:px|em|rem|pt|%)?\s*(?:!|;|$))/i;

function isHidden({ hidden, style = "", "aria-hidden": aria }: Record<string, string>): boolean {
  if (hidden !== undefined || aria === "true") return true;
  return HIDING.test(style.slice(0, 1_000).replaceAll(/\/\*.*?(?:\*\/|$)/gs, ""));
}
