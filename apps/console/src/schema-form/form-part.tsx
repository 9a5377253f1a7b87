import { useEffect, useId, useState } from "preact/hooks";
import { plural } from "../format/numbers.ts";
import { visible } from "../format/visible.ts";
import { type Issue, issuesOf, pointerPart, same } from "./issues.ts";
import { JsonEditor } from "./json-editor.tsx";
import { blankOf, type Field, isSchema, resolved, type Schema, type Shape, shapeOf } from "./shape.ts";

export interface PartProps {
  schema: Schema;
  root: Schema;
  value: unknown;
  onChange: (value: unknown) => void;
  /** A part is text that is no value yet, or no longer. */
  onProblem: (path: string, problem: string | undefined) => void;
  /** JSON pointer of the part. */
  path: string;
  issues: readonly Issue[];
  label: string;
  /** It may be left out: an empty field is no value. */
  isOptional: boolean;
  /** How many parts it is within. */
  depth: number;
}

/** So many fields that may be left out are shown at once; the others when asked for. */
const OPTIONAL_AT_ONCE = 12;
/** What is nested deeper, as in a schema that goes round in circles, is edited as JSON. */
const MAX_DEPTH = 12;

/** A part of a form, whatever its shape. */
export function Part(given: PartProps) {
  const props = { ...given, depth: given.depth + 1 };
  const shape: Shape = props.depth > MAX_DEPTH ? { kind: "json" } : shapeOf(props.schema, props.root);
  switch (shape.kind) {
    case "object":
      return <ObjectPart {...props} fields={shape.fields} />;
    case "list":
      return <ListPart {...props} items={shape.items} />;
    case "union":
      return <UnionPart {...props} branches={shape.branches} />;
    default:
      return <LeafPart {...props} shape={shape} />;
  }
}

function ObjectPart({ fields, ...props }: PartProps & { fields: readonly Field[] }) {
  const { value, root, path, issues } = props;
  const given = isSchema(value) ? value : {};
  const [all, setAll] = useState(false);
  const first = fields.filter(({ name, required }) => required || Object.hasOwn(given, name));
  const others = fields.filter((field) => !first.includes(field));
  const hidden =
    all || first.length + others.length <= OPTIONAL_AT_ONCE ? [] : others.slice(OPTIONAL_AT_ONCE);
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = given;
    props.onChange(next === undefined ? rest : { ...given, [name]: next });
  };
  if (fields.length === 0) return <p class="quiet">It takes no fields.</p>;
  return (
    <div class="form-fields">
      {fields
        .filter((field) => !hidden.includes(field))
        .map(({ name, schema, required }) => (
          <FormField
            key={name}
            name={name}
            schema={schema}
            root={root}
            value={Object.hasOwn(given, name) ? given[name] : undefined}
            onChange={(next) => set(name, next)}
            onProblem={props.onProblem}
            path={`${path}/${pointerPart(name)}`}
            issues={issues}
            isOptional={!required}
            depth={props.depth}
          />
        ))}
      {hidden.length > 0 && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          Show {plural(hidden.length, "more field")}
        </button>
      )}
    </div>
  );
}

function FormField({ name, ...props }: Omit<PartProps, "label"> & { name: string }) {
  const whole = resolved(props.schema, props.root) ?? props.schema;
  const { kind } = shapeOf(whole, props.root);
  const isNested = kind === "object" || kind === "list" || kind === "union";
  const { description } = whole;
  const own = props.issues.filter(({ path }) => path === props.path);
  const title = visible(name);
  const content = (
    <>
      <div class="form-label">
        <code>{title}</code>
        {props.isOptional && <span class="quiet">optional</span>}
        {typeof description === "string" && <span class="quiet">{visible(description)}</span>}
      </div>
      {isNested && props.isOptional && props.value === undefined ? (
        <button
          type="button"
          onClick={() => props.onChange(blankOf(props.schema, props.root) ?? (kind === "object" ? {} : null))}
        >
          Add {title}
        </button>
      ) : (
        <>
          <Part {...props} label={title} />
          {isNested && props.isOptional && (
            <button type="button" class="plain" onClick={() => props.onChange(undefined)}>
              Leave {title} out
            </button>
          )}
        </>
      )}
      {own.map(({ message }) => (
        <p key={message} class="field-issue">
          {message}
        </p>
      ))}
    </>
  );
  if (!isNested) return <div class="form-field">{content}</div>;
  return (
    <fieldset class="form-field nested" aria-label={title}>
      {content}
    </fieldset>
  );
}

function ListPart({ items, ...props }: PartProps & { items: Schema }) {
  const { root, path, issues, label } = props;
  const list = Array.isArray(props.value) ? (props.value as unknown[]) : [];
  return (
    <ol class="form-list">
      {list.map((each, index) => (
        <li key={index}>
          <div class="form-entry">
            <Part
              schema={items}
              root={root}
              value={each}
              onChange={(next) => props.onChange(list.with(index, next ?? null))}
              onProblem={props.onProblem}
              path={`${path}/${index}`}
              issues={issues}
              label={`${label} ${index + 1}`}
              isOptional={false}
              depth={props.depth}
            />
            {issues
              .filter((issue) => issue.path === `${path}/${index}`)
              .map(({ message }) => (
                <p key={message} class="field-issue">
                  {message}
                </p>
              ))}
          </div>
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => props.onChange(list.toSpliced(index, 1))}
          >
            Remove
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          onClick={() => props.onChange([...list, blankOf(items, root) ?? blankLeaf(items, root)])}
        >
          Add to {label}
        </button>
      </li>
    </ol>
  );
}

/** What a new entry of a list is before anything was typed. */
function blankLeaf(schema: Schema, root: Schema): unknown {
  const { kind } = shapeOf(schema, root);
  if (kind === "text") return "";
  return kind === "flag" ? false : null;
}

function UnionPart({
  branches,
  ...props
}: PartProps & { branches: readonly { label: string; schema: Schema }[] }) {
  const { value, root, label } = props;
  const fitting = branches.findIndex(
    ({ schema }) => value !== undefined && issuesOf(value, schema, root).length === 0,
  );
  const [chosen, setChosen] = useState(fitting);
  const at = chosen === -1 ? fitting : chosen;
  const branch = branches[at];
  return (
    <div class="form-union">
      <select
        aria-label={`Kind of ${label}`}
        value={String(at)}
        onChange={({ currentTarget }) => {
          const next = Number(currentTarget.value);
          setChosen(next);
          const schema = branches[next]?.schema;
          const isNull = schema !== undefined && shapeOf(schema, root).kind === "null";
          props.onChange(schema === undefined ? undefined : isNull ? null : blankOf(schema, root));
        }}
      >
        <option value="-1">{props.isOptional ? "left out" : "choose"}</option>
        {branches.map((each, index) => (
          <option key={each.label} value={String(index)}>
            {visible(each.label)}
          </option>
        ))}
      </select>
      {branch !== undefined && shapeOf(branch.schema, root).kind !== "null" && (
        <Part key={at} {...props} schema={branch.schema} />
      )}
    </div>
  );
}

function LeafPart({
  shape,
  ...props
}: PartProps & { shape: Exclude<Shape, { kind: "object" | "list" | "union" }> }) {
  const id = useId();
  const { value, onChange, label, isOptional } = props;
  const isWrong = props.issues.some(({ path }) => path === props.path);
  const common = { id, "aria-label": label, "aria-invalid": isWrong } as const;
  switch (shape.kind) {
    case "text": {
      const text = typeof value === "string" ? value : "";
      const set = (next: string) => onChange(next === "" && isOptional ? undefined : next);
      const isLong =
        shape.long &&
        (text.includes("\n") || text.length > 60 || /body|text|content|message|code/i.test(label));
      return isLong ? (
        <textarea
          {...common}
          rows={Math.min(16, text.split("\n").length + 2)}
          value={text}
          dir="auto"
          onInput={(event) => set(event.currentTarget.value)}
        />
      ) : (
        <input {...common} value={text} dir="auto" onInput={(event) => set(event.currentTarget.value)} />
      );
    }
    case "number":
      return (
        <input
          {...common}
          inputMode="decimal"
          value={value === undefined || value === null ? "" : String(value)}
          onInput={(event) => onChange(numberOf(event.currentTarget.value))}
        />
      );
    case "flag":
      return (
        <Choice
          {...common}
          values={[true, false]}
          value={value}
          onChange={onChange}
          isOptional={isOptional}
        />
      );
    case "choice":
      return (
        <Choice {...common} values={shape.values} value={value} onChange={onChange} isOptional={isOptional} />
      );
    case "null":
      return <span class="quiet">null</span>;
    case "json":
      return <JsonPart {...props} id={id} />;
  }
}

function JsonPart({ id, value, label, path, onChange, onProblem }: PartProps & { id: string }) {
  useEffect(() => () => onProblem(path, undefined), [path, onProblem]);
  const change = (next: unknown, problem?: string) => {
    onProblem(path, problem);
    onChange(next);
  };
  return <JsonEditor id={id} value={value} onChange={change} label={label} />;
}

/** What is no number stays as it was typed, and is said to be none. */
function numberOf(text: string): unknown {
  if (text.trim() === "") return undefined;
  const number = Number(text.replace(",", "."));
  return Number.isFinite(number) ? number : text;
}

function Choice({
  values,
  value,
  onChange,
  isOptional,
  ...common
}: {
  values: readonly unknown[];
  value: unknown;
  onChange: (value: unknown) => void;
  isOptional: boolean;
  id: string;
  "aria-label": string;
  "aria-invalid": boolean;
}) {
  const at = values.findIndex((each) => same(each, value));
  return (
    <select
      {...common}
      value={String(at)}
      onChange={({ currentTarget }) => onChange(values[Number(currentTarget.value)])}
    >
      {(isOptional || at === -1) && <option value="-1">{isOptional ? "left out" : "choose"}</option>}
      {values.map((each, index) => (
        <option key={JSON.stringify(each)} value={String(index)}>
          {typeof each === "string"
            ? visible(each)
            : each === true
              ? "yes"
              : each === false
                ? "no"
                : JSON.stringify(each)}
        </option>
      ))}
    </select>
  );
}
