import { oneLine, plural } from "../files/output.ts";
import type { FoundLine } from "./search-file.ts";
import { unreadNote } from "./skipped-folders.ts";

export type Mode = "lines" | "files" | "count";

export interface Answer {
  /** Who narrowed down where to look; what was found does not depend on it. */
  engine: "ripgrep" | "builtin";
  lines?: ({ path: string } & FoundLine)[];
  files?: { path: string; count?: number }[];
  more: boolean;
  tooLong?: number;
  unread?: string[];
}

/** The answer for reading: `path:line:text`, and `path-line-text` for what stands beside, as grep has it. */
export function labeled(
  { lines = [], files = [], more, tooLong = 0, unread = [] }: Answer,
  { source, mode }: { source: string; mode: Mode },
): string {
  const passed = tooLong === 0 ? "" : `\n${plural(tooLong, "line")} too long to be searched.`;
  const note = passed + unreadNote(unread);
  const matching = lines.filter(({ context }) => context === undefined).length;
  const count = mode === "lines" ? matching : files.length;
  if (count === 0) return `Nothing matches ${JSON.stringify(source)}.${note}`;
  const what = plural(count, mode === "lines" ? "line" : "file");
  const head = more ? `The first ${what}; there are more:` : `${what}:`;
  const rows =
    mode === "lines"
      ? lines.flatMap((line, at) => [...gap(line, lines[at - 1]), row(line)])
      : files.map(({ path, count }) => (count === undefined ? oneLine(path) : `${oneLine(path)}:${count}`));
  return [head, ...rows].join("\n") + note;
}

type Line = NonNullable<Answer["lines"]>[number];

function row({ path, line, text, context }: Line): string {
  const mark = context === undefined ? ":" : "-";
  return `${oneLine(path)}${mark}${line}${mark}${oneLine(text)}`;
}

/** Stretches that do not follow each other are told apart where lines beside matches are shown. */
function gap(line: Line, before: Line | undefined): string[] {
  const follows = before === undefined || (before.path === line.path && before.line + 1 === line.line);
  const hasContext = line.context === true || before?.context === true;
  return !follows && hasContext ? ["--"] : [];
}
