import { useState } from "preact/hooks";

const LONGEST_ROWS = 24;

/** A value as JSON text. `onChange` is told the value, or what is wrong with the text. */
export function JsonEditor({
  value,
  onChange,
  label,
  id,
}: {
  value: unknown;
  onChange: (value: unknown, problem?: string) => void;
  label: string;
  id?: string;
}) {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  const [problem, setProblem] = useState("");
  const change = (next: string) => {
    setText(next);
    const [parsed, wrong] = parse(next);
    setProblem(wrong);
    onChange(parsed, wrong === "" ? undefined : wrong);
  };
  return (
    <div class="json-editor">
      <textarea
        class="mono"
        id={id}
        aria-label={label}
        aria-invalid={problem !== ""}
        spellcheck={false}
        dir="ltr"
        rows={Math.min(LONGEST_ROWS, Math.max(3, text.split("\n", LONGEST_ROWS).length + 1))}
        value={text}
        placeholder="JSON"
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      {problem !== "" && <p class="field-issue">{problem}</p>}
    </div>
  );
}

function parse(text: string): [value: unknown, problem: string] {
  if (text.trim() === "") return [undefined, ""];
  try {
    return [JSON.parse(text), ""];
  } catch (error) {
    return [undefined, `This is not JSON yet: ${error instanceof Error ? error.message : error}`];
  }
}
