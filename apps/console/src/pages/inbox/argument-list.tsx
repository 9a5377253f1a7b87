import { Code, Json } from "../../components/code.tsx";
import { Redacted } from "../../components/code-line.tsx";
import { visible } from "../../format/visible.ts";

const LONGEST_LINE = 400;

/** Arguments as a person reads them: a row for each, text as text. What is no object is shown as JSON. */
export function ArgumentList({ args }: { args: unknown }) {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return <Json value={args} label="Arguments" />;
  const entries = Object.entries(args);
  if (entries.length === 0) return <p class="quiet">It takes no arguments.</p>;
  return (
    <dl class="arguments" aria-label="Arguments">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <code>{visible(name)}</code>
          </dt>
          <dd>
            <ArgumentValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ArgumentValue({ value }: { value: unknown }) {
  if (typeof value === "string") {
    if (value.length > LONGEST_LINE || value.split("\n", 14).length > 13) return <Code text={value} />;
    return (
      <span class="argument-text" dir="auto">
        {value === "" ? <span class="quiet">empty text</span> : <Redacted text={value} />}
      </span>
    );
  }
  if (typeof value === "object" && value !== null) return <Json value={value} />;
  return <code>{String(value)}</code>;
}
