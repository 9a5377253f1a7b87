import type { FleetState } from "@toolrig/server/wire";
import { useState } from "preact/hooks";
import { ApiError, post, remove } from "../../api/client.ts";
import { server } from "../../api/server.ts";
import { Command } from "../../components/copy.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago } from "../../components/time.tsx";
import { visible } from "../../format/visible.ts";
import { callDrawer } from "../../location/addresses.ts";

/** Calls that no worker could do, and why; and how to give one back to the queue, or let it go. */
export function DeadLetters({ letters, reload }: { letters: FleetState["deadLetters"]; reload: () => void }) {
  const [error, setError] = useState<ApiError>();
  const act = async (done: Promise<unknown>) => {
    setError(undefined);
    try {
      await done;
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      setError(thrown);
    }
    reload();
  };
  const mayAct = server.value?.scopes.includes("admin") === true;
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
            {mayAct ? (
              <>
                <button
                  type="button"
                  title="Back into its queue, as an execution of its own"
                  onClick={() => void act(post(`/fleet/dead-letters/${id}/retry`))}
                >
                  Retry
                </button>
                <Drop onDrop={() => void act(remove(`/fleet/dead-letters/${id}`))} />
              </>
            ) : (
              <>
                <Command command={`npx toolrig dlq retry ${id}`} />
                <Command command={`npx toolrig dlq drop ${id}`} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Twice to be sure: nobody has it after that. */
function Drop({ onDrop }: { onDrop: () => void }) {
  const [sure, setSure] = useState(false);
  return (
    <button
      type="button"
      class="danger"
      onBlur={() => setSure(false)}
      onClick={() => {
        if (sure) onDrop();
        setSure(!sure);
      }}
    >
      {sure ? "Really drop" : "Drop"}
    </button>
  );
}
