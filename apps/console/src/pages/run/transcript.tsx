import type { RunDetail } from "@toolrig/server/wire";
import { useState } from "preact/hooks";
import { Redacted } from "../../components/code-line.tsx";
import { count } from "../../format/numbers.ts";
import { oneLine } from "../../format/visible.ts";
import { callDrawer } from "../../location/addresses.ts";
import { pointedAt, useLinked } from "./linked.ts";

type Message = RunDetail["transcript"][number];

const LONGEST = 600;
const AT_ONCE = 100;

const WHO: Record<Message["role"], string> = {
  system: "System",
  user: "Asked",
  assistant: "Model",
  tool: "Result",
};

/** What was said, in order. Each call is linked to its bar. */
export function Transcript({ run }: { run: RunDetail }) {
  const [most, setMost] = useState(AT_ONCE);
  const { transcript } = run;
  const names = new Map(
    run.turns.flatMap(({ calls }) => calls.map(({ line }) => [line.executionId, line.name])),
  );
  if (transcript.length === 0) return <p class="quiet">Nothing of what was said is kept.</p>;
  return (
    <section class="transcript" aria-label="Transcript">
      <ol>
        {transcript.slice(0, most).map((message, index) => (
          <Said key={index} message={message} of={names.get(message.executionId ?? "")} />
        ))}
      </ol>
      {transcript.length > most && (
        <button type="button" class="plain" onClick={() => setMost(most + AT_ONCE)}>
          Show more: {count(most)} of {count(transcript.length)} are shown
        </button>
      )}
    </section>
  );
}

/** `of` is the tool whose result it is. */
function Said({ message, of }: { message: Message; of: string | undefined }) {
  const [whole, setWhole] = useState(false);
  const { text, role, calls = [], executionId, isError } = message;
  const long = !whole && text.length > LONGEST;
  return (
    <li class={`said said-${role} ${isError ? "said-error" : ""}`}>
      <h2>
        {WHO[role]}
        {executionId !== undefined && <CallLink executionId={executionId} name={of ?? "its call"} />}
      </h2>
      {text !== "" && (
        <p dir="auto">
          <Redacted text={long ? text.slice(0, LONGEST) : text} />
          {long && (
            <button type="button" class="plain more" onClick={() => setWhole(true)}>
              … {count(text.length - LONGEST)} more characters
            </button>
          )}
        </p>
      )}
      {calls.length > 0 && (
        <div class="said-calls">
          {calls.map((call) =>
            call.executionId === undefined ? (
              <span key={call.callId} class="badge" title="It did not run">
                {oneLine(call.name)}
              </span>
            ) : (
              <CallLink key={call.callId} executionId={call.executionId} name={call.name} />
            ),
          )}
        </div>
      )}
    </li>
  );
}

function CallLink({ executionId, name }: { executionId: string; name: string }) {
  const { open, pointed } = useLinked(executionId);
  return (
    <a
      class={`badge call-link ${open || pointed ? "accent" : ""}`}
      href={callDrawer(executionId)}
      {...pointedAt(executionId)}
    >
      <bdi class="clip">{oneLine(name)}</bdi>
    </a>
  );
}
