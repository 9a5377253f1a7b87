import { useCallback, useRef, useState } from "preact/hooks";
import { Part } from "./form-part.tsx";
import "./schema-form.css";
import type { Issue } from "./issues.ts";
import { JsonEditor } from "./json-editor.tsx";
import { type Schema, shapeOf } from "./shape.ts";

/**
 * A form made from a JSON Schema, or the value as JSON: by choice, and where no form can be made. `onChange` is told the value
 * after each change, and a problem where the text is no JSON. `issues` are shown beside their fields.
 */
export function SchemaForm({
  schema,
  value,
  onChange,
  issues = [],
  label,
}: {
  schema: Schema;
  value: unknown;
  onChange: (value: unknown, problem?: string) => void;
  issues?: readonly Issue[];
  label: string;
}) {
  const isPlain = shapeOf(schema, schema).kind === "json";
  const [asJson, setAsJson] = useState(isPlain);
  const problems = useRef(new Map<string, string>());
  const note = useCallback((path: string, problem: string | undefined) => {
    if (problem === undefined) problems.current.delete(path);
    else problems.current.set(path, problem);
  }, []);
  const loose = issues.filter(({ path }) => asJson || path === "");
  return (
    <div class="schema-form">
      {!isPlain && (
        <fieldset class="form-mode" aria-label="How to edit">
          <button type="button" class="plain" aria-pressed={!asJson} onClick={() => setAsJson(false)}>
            Form
          </button>
          <button type="button" class="plain" aria-pressed={asJson} onClick={() => setAsJson(true)}>
            JSON
          </button>
        </fieldset>
      )}
      {asJson ? (
        <JsonEditor value={value} onChange={onChange} label={label} />
      ) : (
        <Part
          schema={schema}
          root={schema}
          value={value}
          onChange={(next) => onChange(next, problems.current.values().next().value)}
          onProblem={note}
          path=""
          issues={issues}
          label={label}
          isOptional={false}
          depth={0}
        />
      )}
      {loose.length > 0 && (
        <ul class="field-issue">
          {loose.map(({ path, message }) => (
            <li key={path}>
              {path !== "" && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
