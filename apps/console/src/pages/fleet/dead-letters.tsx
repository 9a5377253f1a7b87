import type { FleetState } from "@toolrig/server/wire";
import { useState } from "preact/hooks";
import { ApiError, post } from "../../api/client.ts";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago } from "../../components/time.tsx";
import { visible } from "../../format/visible.ts";
import { callDrawer } from "../../location/addresses.ts";

/** Calls that no worker could do, and why. They can be given back to the queue, or let go. */
export function DeadLetters({
  letters,
  onChanged,
}: {
  letters: FleetState["deadLetters"];
  onChanged: () => void;
}) {
  const [error, setError] = useState<ApiError>();
  const act = async (id: string, verb: "retry" | "discard") => {
    try {
      await post(`/fleet/dead-letters/${encodeURIComponent(id)}/${verb}`);
      setError(undefined);
      onChanged();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
    }
  };
  return (
    <section>
      <h2>Dead letters</h2>
      {letters.length === 0 && <p class="quiet">None.</p>}
      {error !== undefined && <ProblemNote error={error} />}
      <ul class="dead-letters">
        {letters.map(({ id, tool, at, reason, executionId }) => (
          <li key={id}>
            <span class="dead-letter" title={visible(reason)}>
              <strong>
                <bdi>{visible(tool)}</bdi>
              </strong>{" "}
              <span dir="auto">{visible(reason)}</span>
            </span>
            <span class="quiet">
              <Ago at={at} />
            </span>
            {executionId !== undefined && <a href={callDrawer(executionId)}>its call</a>}
            <button type="button" onClick={() => void act(id, "retry")}>
              Retry
            </button>
            <button type="button" class="danger" onClick={() => void act(id, "discard")}>
              Discard
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
