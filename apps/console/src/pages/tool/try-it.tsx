import type { CallStatus, ToolDetail } from "@toolrig/server/wire";
import { useState } from "preact/hooks";
import { ApiError, post } from "../../api/client.ts";
import { server } from "../../api/server.ts";
import { Redacted } from "../../components/code-line.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago } from "../../components/time.tsx";
import { oneLine } from "../../format/visible.ts";
import { issuesOf } from "../../schema-form/issues.ts";
import { SchemaForm } from "../../schema-form/schema-form.tsx";
import { blankOf, type Schema } from "../../schema-form/shape.ts";
import { TriedCall } from "./tried-call.tsx";

const REAL: Record<ToolDetail["safety"]["sideEffects"], string> = {
  none: "",
  read: "",
  write: "This is a real call: it changes what is here.",
  external: "This is a real call: it changes the world outside.",
};

/** A form for a call of the tool, made from its schema. The call goes the way of every call, and is recorded. */
export function TryIt({ tool, onEnd }: { tool: ToolDetail; onEnd: () => void }) {
  const schema = tool.definition.inputSchema as Schema;
  // Another form for each beginning: what was typed into the one before is gone on purpose.
  const [begun, setBegun] = useState<{ from: unknown; times: number }>({
    from: blankOf(schema) ?? {},
    times: 0,
  });
  const [value, setValue] = useState<unknown>(begun.from);
  const [problem, setProblem] = useState<string>();
  const [tried, setTried] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [call, setCall] = useState<CallStatus>();
  // Which tools a narrower scope has is for the server to say.
  const mayCall = server.value?.scopes.some((scope) => scope !== "read" && scope !== "approve") ?? true;
  const issues = tried ? issuesOf(value, schema) : [];

  const begin = (from: unknown) => {
    setBegun({ from, times: begun.times + 1 });
    setValue(from);
    setProblem(undefined);
    setTried(false);
  };
  const send = async () => {
    setTried(true);
    if (problem !== undefined || issuesOf(value, schema).length > 0) return;
    setError(undefined);
    try {
      setCall(await post<CallStatus>("/calls", { name: tool.name, arguments: value, async: true }));
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
    }
  };
  return (
    <section class="try-it" aria-label="Try it">
      <h2>Try it</h2>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <SchemaForm
          key={begun.times}
          schema={schema}
          value={value}
          onChange={(next, wrong) => {
            setValue(next);
            setProblem(wrong);
          }}
          issues={issues}
          label="Arguments"
        />
        <div class="buttons">
          <button type="submit" class="primary" disabled={!tool.available || !mayCall}>
            Call {oneLine(tool.name)}
          </button>
          <span class="quiet">
            {mayCall
              ? REAL[tool.safety.sideEffects]
              : "Your token may not make calls: it lacks the scope call."}
          </span>
        </div>
      </form>
      {error !== undefined && <ProblemNote error={error} />}
      {call !== undefined && <TriedCall key={call.executionId} status={call} onEnd={onEnd} />}
      <RecentInputs inputs={tool.recentInputs} onChoose={begin} />
    </section>
  );
}

function RecentInputs({
  inputs,
  onChoose,
}: {
  inputs: ToolDetail["recentInputs"];
  onChoose: (args: unknown) => void;
}) {
  if (inputs.length === 0) return null;
  return (
    <section>
      <h3>Recent inputs</h3>
      <ul class="recent-inputs">
        {inputs.slice(0, 8).map(({ args, at, executionId, isError }) => (
          <li key={executionId}>
            <Glyph state={isError ? "failed" : "ok"} />
            <button
              type="button"
              class="plain mono clip"
              title="Put it into the form"
              onClick={() => onChoose(withoutSecrets(args))}
            >
              <Redacted text={oneLine(JSON.stringify(args) ?? "").slice(0, 200)} />
            </button>
            <span class="quiet">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the server did not show is for the reader to write. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isMasked(item)).map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  const shown = Object.entries(value).filter(([, item]) => !isMasked(item));
  return Object.fromEntries(shown.map(([key, item]) => [key, withoutSecrets(item)]));
}

function isMasked(value: unknown): boolean {
  return typeof value === "string" && value.includes("[redacted]");
}
