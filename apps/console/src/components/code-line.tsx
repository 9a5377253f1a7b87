import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../format/numbers.ts";
import { visible } from "../format/visible.ts";
import { useFold } from "./folds.ts";

/** How a text is coloured: not at all, by what JSON has, or by what a diff takes out and puts in. */
export type Language = "text" | "json" | "diff";

/** Characters from the first up to, not including, the second. */
export type Range = readonly [from: number, to: number];

/** Places of a text that are to be seen, as changes. */
export interface Marks {
  ranges: readonly Range[];
  tone: "added" | "removed";
}

const LONGEST_LINE = 2_000;

/** One line of a text. A very long one is cut, says by how much, and is whole after a click. `offset` is its place in the text. */
export function CodeLine({
  line,
  language,
  marks,
  offset,
}: {
  line: string;
  language: Language;
  marks: Marks | undefined;
  offset: number;
}) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && line.length > LONGEST_LINE;
  useFold(cut, () => setWhole(true));
  const shown = cut ? line.slice(0, LONGEST_LINE) : line;
  return (
    <span class={`code-line ${language === "diff" ? diffClass(line) : ""}`}>
      {marks !== undefined ? (
        marked(shown, marks, offset)
      ) : language === "json" ? (
        coloured(shown)
      ) : (
        <Redacted text={shown} />
      )}
      {cut && (
        <button type="button" class="plain more" onClick={() => setWhole(true)}>
          … {count(line.length - LONGEST_LINE)} more characters
        </button>
      )}
      {"\n"}
    </span>
  );
}

/** Text with secrets as dots, and the name of the rule that hid them where it is known. */
export function Redacted({ text }: { text: string }) {
  const parts = visible(text).split(/(\[redacted(?:: ?[^\]]{1,60})?\])/);
  if (parts.length === 1) return <>{parts[0]}</>;
  return (
    <>
      {parts.map((part, index) => {
        if (index % 2 === 0) return part;
        return (
          <span key={index} class="redacted" title="A secret: the server does not show it.">
            ••••••<small>{/: ?(.+)\]$/.exec(part)?.[1] ?? "redacted"}</small>
          </span>
        );
      })}
    </>
  );
}

function diffClass(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "diff-head";
  if (line.startsWith("+")) return "diff-added";
  return line.startsWith("-") ? "diff-removed" : "";
}

function marked(line: string, { ranges, tone }: Marks, offset: number): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    const start = Math.max(at, from - offset);
    const end = Math.min(line.length, to - offset);
    if (end <= start) continue;
    parts.push(
      <Redacted text={line.slice(at, start)} />,
      <mark class={tone}>{<Redacted text={line.slice(start, end)} />}</mark>,
    );
    at = end;
  }
  parts.push(<Redacted text={line.slice(at)} />);
  return parts;
}

const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** Keys, strings and other values of one line of JSON in their colours. */
function coloured(line: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of line.matchAll(TOKEN)) {
    if (match.index > at) parts.push(visible(line.slice(at, match.index)));
    const [whole, text, colon] = match;
    const kind = text === undefined ? "value" : colon === undefined ? "string" : "key";
    parts.push(
      <span class={`json-${kind}`}>
        <Redacted text={text ?? whole} />
      </span>,
      colon ?? "",
    );
    at = match.index + whole.length;
  }
  parts.push(visible(line.slice(at)));
  return parts;
}
