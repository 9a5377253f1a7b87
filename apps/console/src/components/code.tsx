import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { bytes, count } from "../format/numbers.ts";
import { visible } from "../format/visible.ts";
import { CopyButton } from "./copy.tsx";

const FOLD_AFTER = 12;
const MORE_LINES = 500;
const LONGEST_LINE = 2_000;

/** A value as JSON. */
export function Json({ value, label }: { value: unknown; label?: string }) {
  const text = useMemo(
    () => (value === undefined ? "" : (JSON.stringify(value, null, 2) ?? String(value))),
    [value],
  );
  return <Code text={text} json {...(label !== undefined && { label })} />;
}

/**
 * Text in lines, folded after twelve; never cut without saying so. Secrets are dots. However long the text is, only what is
 * shown is made into elements.
 */
export function Code({ text, json = false, label }: { text: string; json?: boolean; label?: string }) {
  const [most, setMost] = useState(FOLD_AFTER);
  const total = useMemo(() => countLines(text), [text]);
  const lines = useMemo(() => firstLines(text, most), [text, most]);
  const hidden = total - lines.length;
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <span class="quiet">{text.length > 1_000 && bytes(new Blob([text]).size)}</span>
        <CopyButton text={text}>Copy</CopyButton>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys. */}
      <pre tabIndex={0} dir="ltr">
        {text === "" ? (
          <span class="quiet">nothing</span>
        ) : (
          lines.map((line, index) => <CodeLine key={index} line={line} json={json} />)
        )}
      </pre>
      {hidden > 0 && (
        <button
          type="button"
          class="plain fold"
          onClick={() => setMost(most === FOLD_AFTER ? MORE_LINES : most + MORE_LINES)}
        >
          {hidden > MORE_LINES
            ? `Show ${count(MORE_LINES)} of ${count(hidden)} more lines`
            : `Show ${count(hidden)} more ${hidden === 1 ? "line" : "lines"}`}
        </button>
      )}
      {hidden <= 0 && most > FOLD_AFTER && total > FOLD_AFTER && (
        <button type="button" class="plain fold" onClick={() => setMost(FOLD_AFTER)}>
          Fold
        </button>
      )}
    </figure>
  );
}

function CodeLine({ line, json }: { line: string; json: boolean }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && line.length > LONGEST_LINE;
  const shown = cut ? line.slice(0, LONGEST_LINE) : line;
  return (
    <span class="code-line">
      {json ? colours(shown) : <Redacted text={shown} />}
      {cut && (
        <button type="button" class="plain more" onClick={() => setWhole(true)}>
          … {count(line.length - LONGEST_LINE)} more characters
        </button>
      )}
      {"\n"}
    </span>
  );
}

/** Text with secrets as dots. */
export function Redacted({ text }: { text: string }) {
  const parts = visible(text).split(/(\[redacted(?:: ?[^\]]{1,60})?\])/);
  if (parts.length === 1) return <>{parts[0]}</>;
  return (
    <>
      {parts.map((part, index) => {
        if (index % 2 === 0) return part;
        const rule = /: ?(.+)\]$/.exec(part)?.[1] ?? "redacted";
        return (
          <span key={index} class="redacted" title="A secret: the server does not show it.">
            ••••••<small>{rule}</small>
          </span>
        );
      })}
    </>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** Keys, strings and other values of one line of JSON in their colours. */
function colours(line: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of line.matchAll(TOKEN)) {
    if (match.index > at) parts.push(line.slice(at, match.index));
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

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return text.endsWith("\n") ? lines - 1 : lines;
}

function firstLines(text: string, most: number): string[] {
  const lines: string[] = [];
  for (let from = 0; lines.length < most && from <= text.length; ) {
    const end = text.indexOf("\n", from);
    if (end === -1) {
      if (from < text.length || lines.length === 0) lines.push(text.slice(from));
      break;
    }
    lines.push(text.slice(from, end));
    from = end + 1;
  }
  return lines;
}
