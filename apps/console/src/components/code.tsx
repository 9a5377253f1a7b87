import { useMemo, useState } from "preact/hooks";
import { bytes, count } from "../format/numbers.ts";
import { CodeLine, type Language, type Marks } from "./code-line.tsx";
import { CopyButton } from "./copy.tsx";
import { useFold } from "./folds.ts";

const FOLD_AFTER = 12;
const MORE_LINES = 500;

/** A value as JSON. */
export function Json({ value, label }: { value: unknown; label?: string }) {
  const text = useMemo(
    () => (value === undefined ? "" : (JSON.stringify(value, null, 2) ?? String(value))),
    [value],
  );
  return <Code text={text} language="json" label={label} />;
}

/**
 * Text in lines, folded after twelve; never cut without saying so. Secrets are dots. However long the text is, only what is
 * shown is made into elements.
 */
export function Code({
  text,
  language = "text",
  label,
  marks,
}: {
  text: string;
  language?: Language;
  label?: string | undefined;
  marks?: Marks | undefined;
}) {
  const [most, setMost] = useState(FOLD_AFTER);
  const total = useMemo(() => countLines(text), [text]);
  const lines = useMemo(() => firstLines(text, most), [text, most]);
  const hidden = total - lines.length;
  useFold(hidden > 0, () => setMost(Number.POSITIVE_INFINITY));
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        {text.length > 1_000 && <span class="quiet">{bytes(new Blob([text]).size)}</span>}
        <CopyButton text={text}>Copy</CopyButton>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys. */}
      <pre tabIndex={0} dir="ltr">
        {text === "" && <span class="quiet">nothing</span>}
        {lines.map(({ line, offset }) => (
          <CodeLine key={offset} line={line} language={language} marks={marks} offset={offset} />
        ))}
      </pre>
      <Fold
        hidden={hidden}
        folded={most === FOLD_AFTER}
        foldable={total > FOLD_AFTER}
        show={setMost}
        most={most}
      />
    </figure>
  );
}

function Fold({
  hidden,
  folded,
  foldable,
  most,
  show,
}: {
  hidden: number;
  folded: boolean;
  foldable: boolean;
  most: number;
  show: (lines: number) => void;
}) {
  if (hidden > 0) {
    const lines = `${count(hidden)} more ${hidden === 1 ? "line" : "lines"}`;
    return (
      <button type="button" class="plain fold" onClick={() => show(folded ? MORE_LINES : most + MORE_LINES)}>
        {hidden > MORE_LINES ? `Show ${MORE_LINES} of ${lines}` : `Show ${lines}`}
      </button>
    );
  }
  if (folded || !foldable) return null;
  return (
    <button type="button" class="plain fold" onClick={() => show(FOLD_AFTER)}>
      Fold
    </button>
  );
}

function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return text.endsWith("\n") ? lines - 1 : lines;
}

function firstLines(text: string, most: number): { line: string; offset: number }[] {
  const lines: { line: string; offset: number }[] = [];
  for (let offset = 0; lines.length < most && offset < text.length; ) {
    const found = text.indexOf("\n", offset);
    const end = found === -1 ? text.length : found;
    lines.push({ line: text.slice(offset, end), offset });
    offset = end + 1;
  }
  return lines;
}
