import { type AnyTool, type ContentPart, result, type ToolContext, tool, validation } from "@toolrig/core";
import type { MarkedOutcome } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import { type OpenFile, openFile } from "../confine/opened.ts";
import { shownPath } from "../confine/path-text.ts";
import { fileFailure } from "../confine/system-error.ts";
import { type Detected, decodeBytes, detect, type Encoding, SAMPLE, unitOf } from "./encoding.ts";
import { imageType } from "./images.ts";
import { escapeLine, plural } from "./output.ts";
import { type Page, pageAt, pageOfLines, pageOfTail, Source } from "./pages.ts";
import { contentState, markRead, stateRead } from "./read-marks.ts";
import { fileLock, type ReadingOptions, readingSettings } from "./settings.ts";

const DEFAULT_LINES = 2_000;
const DEFAULT_BYTES = 262_144;
const MAX_IMAGE = 5 * 1024 * 1024;

const INPUT = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the root." },
    line: {
      type: "integer",
      description:
        "The first line to read, from 1. Negative: that many lines at the end, without reading the rest.",
    },
    lines: { type: "integer", minimum: 1, maximum: 20_000, description: "How many lines. Default 2000." },
    offset: {
      type: "integer",
      description: "Read by bytes instead, from this one on. Negative: that many bytes at the end.",
    },
    bytes: {
      type: "integer",
      minimum: 16,
      maximum: 1_048_576,
      description: "How many bytes at most. Default 262144.",
    },
    encoding: {
      type: "string",
      enum: ["auto", "utf-8", "utf-16le", "utf-16be", "latin1"],
      description: "Default auto: UTF-8, or UTF-16 where the file begins with its mark.",
    },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

/** Of text or an image. */
const OUTPUT = {
  type: "object",
  properties: {
    path: { type: "string" },
    size: { type: "integer", description: "Bytes of the whole file." },
    text: { type: "string" },
    encoding: { type: "string" },
    offset: { type: "integer", description: "Where the text begins, in bytes." },
    line: { type: "integer" },
    lines: { type: "integer" },
    next: { type: "object", description: "What to ask for to go on. Absent at the end." },
    mimeType: { type: "string", description: "Of an image." },
  },
  required: ["path", "size"],
} as const;

interface Asked {
  line?: number;
  lines?: number;
  offset?: number;
  bytes?: number;
  encoding?: "auto" | Encoding;
}

/** `read_file`: text by lines or bytes, and pictures. Large files are read in pages; their end without what is before it. */
export function readFile(options: ReadingOptions): AnyTool {
  const { roots, labels } = readingSettings("readFile", options);
  return tool({
    name: "read_file",
    description:
      "Read a text file, or look at an image (PNG, JPEG, GIF, WebP). Long files come in pages; the answer says how to go on.",
    input: INPUT,
    output: OUTPUT,
    safety: { sideEffects: "read", idempotent: true, requires: ["filesystem"] },
    timeout: "30s",
    labels,
    locks: ({ path }) => [fileLock(roots, path, "read")],
    async execute({ path, ...asked }, context) {
      if (asked.line !== undefined && asked.offset !== undefined)
        return validation("line and offset cannot be given together: read by lines, or by bytes.");
      if (asked.line === 0) return validation("line counts from 1; a negative one counts from the end.");
      const file = await openFile(roots, path);
      try {
        return await answer(file, asked, context);
      } catch (error) {
        context.signal.throwIfAborted();
        throw fileFailure(error, file.shown);
      } finally {
        await file.handle.close();
      }
    },
  });
}

async function answer(file: OpenFile, asked: Asked, context: ToolContext): Promise<MarkedOutcome> {
  const source = new Source(file.handle, file.stat.size, context.signal);
  const head = await source.read(0, SAMPLE);
  const { encoding = "auto" } = asked;
  const picture = encoding === "auto" ? imageType(head) : undefined;
  if (picture !== undefined) return image(file, source, picture);
  const detected = encodingOf(head, encoding, file);
  remember(file, asked, context);
  const page = await pageOf(source, detected, asked, asked.bytes ?? DEFAULT_BYTES);
  const value = readValue(file, detected.encoding, page);
  const shown = await shownPage(file, source, detected, asked, value, context.maxContent);
  const content: ContentPart[] = [{ type: "text", text: shown.text }];
  const notes = notesOn(shown, detected.encoding);
  if (notes.length > 0) content.push({ type: "text", text: notes.map((note) => `[${note}]`).join("\n") });
  return result({ value, content, details: { bytesRead: source.bytesRead } });
}

/** Reading on, or the end, does not refresh what the run knows of the rest. */
function remember({ real, stat }: OpenFile, { line = 1, offset }: Asked, context: ToolContext): void {
  const isFromStart = offset === undefined ? line === 1 : offset === 0;
  if (isFromStart || stateRead(context, real) === undefined) markRead(context, real, contentState(stat));
}

/** Characters that notes may take, at most. */
const NOTES = 200;

/** The page as the model is shown it: of one that is over the cap, the first lines that fit, or the last of a file's end. */
async function shownPage(
  file: OpenFile,
  source: Source,
  detected: Detected,
  asked: Asked,
  value: Value,
  maxContent: number,
): Promise<Value> {
  const room = Math.max(16, maxContent - Math.min(NOTES, maxContent / 2));
  if (value.text.length <= room) return value;
  // No character takes fewer bytes than UTF-16 has units for it, or in UTF-16 fewer than two.
  const bytes = Math.floor(room) * unitOf(detected.encoding);
  return readValue(file, detected.encoding, await pageOf(source, detected, asked, bytes));
}

function encodingOf(head: Buffer, asked: "auto" | Encoding, { shown, stat }: OpenFile): Detected {
  const detected = detect(head);
  if (asked !== "auto") return { encoding: asked, mark: detected?.encoding === asked ? detected.mark : 0 };
  if (detected !== undefined) return detected;
  throw validation(
    `${shownPath(shown)} is binary (${plural(stat.size, "byte")}), and read_file gives text and images. ` +
      'With encoding "latin1" every byte is shown as one character.',
  );
}

function pageOf(source: Source, { encoding, mark }: Detected, asked: Asked, bytes: number): Promise<Page> {
  const { line = 1, lines = DEFAULT_LINES, offset } = asked;
  const limits = { bytes, lines };
  if (offset !== undefined) {
    const from = offset >= 0 && offset < mark ? mark : offset;
    return pageAt(source, encoding, from, limits);
  }
  if (line < 0) return pageOfTail(source, encoding, -line, limits, mark);
  return pageOfLines(source, encoding, { line, offset: mark }, limits);
}

async function image({ shown, stat }: OpenFile, source: Source, mimeType: string): Promise<MarkedOutcome> {
  if (stat.size > MAX_IMAGE)
    throw validation(
      `${shownPath(shown)} is an image of ${plural(stat.size, "byte")}; at most ${plural(MAX_IMAGE, "byte")} can be shown.`,
    );
  const data = (await source.read(0, stat.size)).toString("base64");
  return result({
    value: { path: shown, size: stat.size, mimeType },
    content: [
      { type: "text", text: `${escapeLine(shown)}: ${mimeType}, ${plural(stat.size, "byte")}` },
      { type: "image", data, mimeType },
    ],
    details: { bytesRead: source.bytesRead },
  });
}

function readValue({ shown, stat }: OpenFile, encoding: Encoding, page: Page): Value {
  const { bytes, offset, line, lines } = page;
  const text = decodeBytes(bytes, encoding);
  const end = offset + bytes.length;
  const next = end >= stat.size ? undefined : nextOf(page, text, end);
  return {
    path: shown,
    size: stat.size,
    encoding,
    offset,
    ...(line !== undefined && { line, lines }),
    text,
    ...defined({ next }),
  };
}

function nextOf({ line, lines }: Page, text: string, end: number): { line: number } | { offset: number } {
  return line !== undefined && text.endsWith("\n") ? { line: line + lines } : { offset: end };
}

interface Value {
  path: string;
  encoding: Encoding;
  size: number;
  offset: number;
  text: string;
  line?: number;
  lines?: number;
  next?: { line: number } | { offset: number };
}

function notesOn({ size, offset, text, line, lines = 0, next }: Value, encoding: Encoding): string[] {
  const notes: string[] = [];
  if (size === 0) notes.push("the file is empty");
  else if (text === "") notes.push(`there is nothing there: the file has ${plural(size, "byte")}`);
  else if (next !== undefined || offset > 3) {
    const where =
      line === undefined ? `from byte ${offset} of ${size}` : `lines ${line} to ${line + lines - 1}`;
    const on = next === undefined ? "to the end" : `go on with ${JSON.stringify(next)}`;
    notes.push(`${where}; ${on}`);
  }
  if (encoding === "utf-8" && text.includes("\ufffd"))
    notes.push('not all of it is UTF-8; encoding "latin1" shows every byte');
  return notes;
}
