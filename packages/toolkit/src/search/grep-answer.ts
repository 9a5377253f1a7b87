import { escapeLine, headOf, plural } from "../files/output.ts";
import type { FoundLine } from "./search-file.ts";
import { unreadNote } from "./skipped-folders.ts";

export type Mode = "lines" | "files" | "count";

export interface Answer {
  /** Who narrowed down where to look; what was found does not depend on it. */
  engine: "ripgrep" | "builtin";
  lines?: ({ path: string } & FoundLine)[];
  files?: { path: string; count?: number }[];
  more: boolean;
  next?: { skip: number };
  tooLong?: number;
  unread?: string[];
}

/** The answer for reading: `path:line:text`, and `path-line-text` for what stands beside, as grep has it. */
export function labeled(
  answer: Answer,
  { source, mode, skip }: { source: string; mode: Mode; skip: number },
): string {
  const { lines = [], files = [], next, tooLong = 0, unread = [] } = answer;
  const passed = tooLong === 0 ? "" : `\n${plural(tooLong, "line")} too long to be searched.`;
  const note = passed + unreadNote(unread);
  const count = countOf(answer);
  if (count === 0) return `Nothing ${skip > 0 ? "further " : ""}matches ${JSON.stringify(source)}.${note}`;
  const head = `${headOf(plural(count, mode === "lines" ? "line" : "file"), skip, next)}:`;
  const rows =
    mode === "lines"
      ? lines.flatMap((line, at) => [...gap(line, lines[at - 1]), row(line)])
      : files.map(({ path, count }) =>
          count === undefined ? escapeLine(path) : `${escapeLine(path)}:${count}`,
        );
  return [head, ...rows].join("\n") + note;
}

/** Lines that match, or files. */
export function countOf({ lines, files = [] }: Answer): number {
  return lines === undefined ? files.length : lines.filter(({ context }) => context === undefined).length;
}

/** The answer with only its first matches, which says how to go on. */
export function firstOf(answer: Answer, count: number, skip: number): Answer {
  const { lines, files } = answer;
  const rest = { ...answer, more: true, next: { skip: skip + count } };
  if (lines === undefined) return { ...rest, files: (files ?? []).slice(0, count) };
  let seen = 0;
  const end = lines.findIndex(({ context }) => context === undefined && ++seen > count);
  return { ...rest, lines: end < 0 ? lines : lines.slice(0, end) };
}

type Line = NonNullable<Answer["lines"]>[number];

function row({ path, line, text, context }: Line): string {
  const mark = context === undefined ? ":" : "-";
  return `${escapeLine(path)}${mark}${line}${mark}${escapeLine(text)}`;
}

/** Stretches that do not follow each other are told apart where lines beside matches are shown. */
function gap(line: Line, before: Line | undefined): string[] {
  const follows = before === undefined || (before.path === line.path && before.line + 1 === line.line);
  const hasContext = line.context === true || before?.context === true;
  return !follows && hasContext ? ["--"] : [];
}
