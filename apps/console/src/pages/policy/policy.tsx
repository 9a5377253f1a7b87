import type { Page, PolicyAnswer, PolicyQuestion, ToolDetail, ToolLine } from "@toolrig/server/wire";
import { useEffect, useState } from "preact/hooks";
import { ApiError, post } from "../../api/client.ts";
import { server } from "../../api/server.ts";
import { useResource } from "../../api/use-resource.ts";
import { Empty } from "../../components/empty.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { oneLine, visible } from "../../format/visible.ts";
import { param, setParams } from "../../location/location.ts";
import { issuesOf } from "../../schema-form/issues.ts";
import { SchemaForm } from "../../schema-form/schema-form.tsx";
import { blankOf, type Schema } from "../../schema-form/shape.ts";
import { Answer } from "./answer.tsx";
import "./policy.css";

const tool = param("tool");
const written = param("args");
const principal = param("principal");
const source = param("source");
const labels = param("labels");
const SOURCES = ["model", "tool", "script", "cli", "http", "mcp"];
/** One asks while one types: when the hand rests. */
const SETTLE_MS = 250;
const RUN_LABELS = ["untrusted", "private"];

/** Would this call be allowed, and which rule says so? Nothing runs. The question is in the address. */
export function Policy() {
  const tools = useResource<Page<ToolLine>>("/tools");
  const detail = useResource<ToolDetail>(
    tool.value === "" ? undefined : `/tools/${encodeURIComponent(tool.value)}`,
  );
  if (server.value?.features.policy === false)
    return (
      <div class="page policy">
        <h1>Policy</h1>
        <Empty title="There is no policy" command={'policy: { profile: "standard", rules: [] }'}>
          Without one, everything that a tool may do runs. Put this into <code>toolrig.config.ts</code>: the
          profile asks where it matters, and rules allow, deny or ask.
        </Empty>
      </div>
    );
  const shown = detail.data?.name === tool.value ? detail.data : undefined;
  return (
    <div class="page policy">
      <header class="page-head">
        <h1>Policy</h1>
        <p class="quiet">Would it be allowed, and which rule says so? Nothing runs.</p>
      </header>
      {tools.error !== undefined && <ProblemNote error={tools.error} />}
      <div class="policy-who">
        <Choice
          label="Tool"
          value={tool.value}
          onChange={(name) => setParams({ tool: name, args: "" }, { push: true })}
        >
          <option value="">Choose a tool</option>
          {tools.data?.items.map(({ name }) => (
            <option key={name} value={name}>
              {visible(name)}
            </option>
          ))}
        </Choice>
        <Choice
          label="Made by"
          value={source.value || "model"}
          onChange={(next) => setParams({ source: next })}
        >
          {SOURCES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Choice>
        <label class="policy-field">
          <span class="quiet">On behalf of</span>
          <input
            placeholder="nobody in particular"
            value={principal.value}
            onInput={({ currentTarget }) => setParams({ principal: currentTarget.value })}
          />
        </label>
        <fieldset class="policy-field">
          <legend class="quiet">Its run has read what is</legend>
          {RUN_LABELS.map((label) => (
            <label key={label}>
              <input
                type="checkbox"
                checked={chosenLabels().includes(label)}
                onChange={({ currentTarget }) => setParams({ labels: toggled(label, currentTarget.checked) })}
              />{" "}
              {label}
            </label>
          ))}
        </fieldset>
      </div>
      {tool.value === "" && <Examples names={tools.data?.items.map(({ name }) => name) ?? []} />}
      {detail.error !== undefined && <ProblemNote error={detail.error} />}
      {shown !== undefined && <Explain key={shown.name} tool={shown} />}
    </div>
  );
}

/** Before anything was asked: what one can ask, and the first tools to ask it of. */
function Examples({ names }: { names: readonly string[] }) {
  return (
    <div class="empty">
      <h2>Ask about a call before anybody makes it</h2>
      <p class="prose quiet">
        Choose a tool, fill in what it would be given and say what its run has read: you are told whether it
        would run, wait for a person or be denied, and the rule that decides. The same at a terminal:{" "}
        <code>toolrig policy explain</code>.
      </p>
      <p class="policy-examples">
        {names.slice(0, 6).map((name) => (
          <a key={name} class="badge" href={`/policy?tool=${encodeURIComponent(name)}`}>
            {oneLine(name).slice(0, 60)}
          </a>
        ))}
      </p>
    </div>
  );
}

function Explain({ tool: { name, definition } }: { tool: ToolDetail }) {
  const schema = definition.inputSchema as Schema;
  const [args, setArgs] = useState<unknown>(() => readArgs() ?? blankOf(schema) ?? {});
  const [problem, setProblem] = useState<string>();
  const [answer, setAnswer] = useState<PolicyAnswer>();
  const [error, setError] = useState<ApiError>();
  const question: PolicyQuestion = {
    tool: name,
    args,
    source: source.value || "model",
    ...(principal.value !== "" && { principal: principal.value }),
    ...(chosenLabels().length > 0 && { runLabels: chosenLabels() }),
  };
  const isWhole = problem === undefined && issuesOf(args, schema).length === 0;
  const asked = isWhole ? JSON.stringify(question) : undefined;
  useEffect(() => {
    if (asked === undefined) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      setParams({ args: JSON.stringify(args) });
      try {
        const next = await post<PolicyAnswer>("/policy/explain", question);
        if (!isCurrent) return;
        setAnswer(next);
        setError(undefined);
      } catch (cause) {
        if (isCurrent && cause instanceof ApiError) setError(cause);
      }
    }, SETTLE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [asked]);
  return (
    <div class="policy-columns">
      <form noValidate aria-label="The call" onSubmit={(event) => event.preventDefault()}>
        <SchemaForm
          schema={schema}
          value={args}
          onChange={(next, wrong) => {
            setArgs(next);
            setProblem(wrong);
          }}
          label="Arguments"
        />
      </form>
      <div>
        {error !== undefined && <ProblemNote error={error} />}
        {isWhole ? (
          answer !== undefined && <Answer answer={answer} />
        ) : (
          <p class="quiet">Fill in the call: what it is given may decide.</p>
        )}
      </div>
    </div>
  );
}

function Choice({
  label,
  value,
  onChange,
  children,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: preact.ComponentChildren;
}) {
  return (
    <label class="policy-field">
      <span class="quiet">{label}</span>
      <select
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {children}
      </select>
    </label>
  );
}

function chosenLabels(): string[] {
  return labels.value === "" ? [] : labels.value.split(",");
}

function toggled(label: string, on: boolean): string {
  return [...chosenLabels().filter((each) => each !== label), ...(on ? [label] : [])].join(",");
}

function readArgs(): unknown {
  try {
    return written.value === "" ? undefined : JSON.parse(written.value);
  } catch {
    return undefined;
  }
}
