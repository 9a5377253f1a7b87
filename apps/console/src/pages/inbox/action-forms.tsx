import type { InboxItem } from "@toolrig/server/wire";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../../keyboard/keys.ts";
import { type Issue, issuesOf } from "../../schema-form/issues.ts";
import { SchemaForm } from "../../schema-form/schema-form.tsx";
import { blankOf, isSchema, type Schema } from "../../schema-form/shape.ts";

/** Everything is taken: edited as JSON. */
const ANYTHING: Schema = {};
/** Answers to a question without a schema are text. */
const TEXT: Schema = { type: "string", minLength: 1, maxLength: 100_000, title: "answer" };

/** The arguments of a call, to be approved as they are edited. */
export function EditForm({
  item,
  onSend,
  onClose,
}: {
  item: InboxItem;
  onSend: (args: unknown) => void;
  onClose: () => void;
}) {
  return (
    <ValueForm
      schema={isSchema(item.inputSchema) ? item.inputSchema : ANYTHING}
      initial={item.args}
      label="Arguments"
      submit="Approve as edited"
      onSend={onSend}
      onClose={onClose}
      takesFocus
    />
  );
}

/** The result of a call that waits for one. */
export function CompleteForm({
  item,
  onSend,
  onClose,
}: {
  item: InboxItem;
  onSend: (value: unknown) => void;
  onClose: () => void;
}) {
  const schema = isSchema(item.outputSchema) ? item.outputSchema : ANYTHING;
  return (
    <ValueForm
      schema={schema}
      initial={blankOf(schema)}
      label="Result"
      submit="Complete"
      onSend={onSend}
      onClose={onClose}
      takesFocus
    />
  );
}

/** The answer to a question. */
export function QuestionForm({ item, onAnswer }: { item: InboxItem; onAnswer: (value: unknown) => void }) {
  const asked = item.question?.schema;
  const schema = isSchema(asked) ? asked : TEXT;
  return (
    <ValueForm schema={schema} initial={blankOf(schema)} label="Answer" submit="Answer" onSend={onAnswer} />
  );
}

function ValueForm({
  schema,
  initial,
  label,
  submit,
  onSend,
  onClose,
  takesFocus = false,
}: {
  schema: Schema;
  initial: unknown;
  label: string;
  submit: string;
  onSend: (value: unknown) => void;
  onClose?: () => void;
  takesFocus?: boolean;
}) {
  const [value, setValue] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useFocusInside(form, takesFocus);
  const issues: readonly Issue[] = tried ? issuesOf(value, schema) : [];
  const trySending = () => {
    setTried(true);
    if (problem === undefined && value !== undefined && issuesOf(value, schema).length === 0) onSend(value);
  };
  return (
    <form
      ref={form}
      class="action-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        trySending();
      }}
    >
      <SchemaForm
        schema={schema}
        value={value}
        onChange={(next, wrong) => {
          setValue(next);
          setProblem(wrong);
        }}
        issues={issues}
        label={label}
      />
      <FormButtons submit={submit} {...(onClose && { onClose })} />
    </form>
  );
}

/** A reason in one line; enter sends it. */
export function ReasonForm({
  label,
  hint,
  onSend,
  onClose,
  isRequired = false,
}: {
  label: string;
  hint: string;
  onSend: (reason: string) => void;
  onClose: () => void;
  isRequired?: boolean;
}) {
  const [reason, setReason] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useFocusInside(form, true);
  return (
    <form
      ref={form}
      class="action-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRequired || reason.trim() !== "") onSend(reason.trim());
      }}
    >
      <input
        aria-label={hint}
        placeholder={hint}
        value={reason}
        dir="auto"
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <FormButtons
        submit={label}
        tone="danger"
        isDisabled={isRequired && reason.trim() === ""}
        onClose={onClose}
      />
    </form>
  );
}

function FormButtons({
  submit,
  tone = "primary",
  isDisabled = false,
  onClose,
}: {
  submit: ComponentChildren;
  tone?: "primary" | "danger";
  isDisabled?: boolean;
  onClose?: () => void;
}) {
  useKeys(
    "Form",
    onClose === undefined ? {} : { esc: { label: "Close the form", run: onClose } },
    onClose !== undefined,
  );
  return (
    <div class="buttons">
      <button type="submit" class={tone} disabled={isDisabled}>
        {submit}
      </button>
      {onClose !== undefined && (
        <button type="button" class="plain" onClick={onClose}>
          Back <kbd>esc</kbd>
        </button>
      )}
    </div>
  );
}

function useFocusInside(element: { current: HTMLElement | null }, takesFocus: boolean): void {
  // At once: what is typed next is meant for the form.
  useLayoutEffect(() => {
    if (takesFocus) element.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  }, []);
}
