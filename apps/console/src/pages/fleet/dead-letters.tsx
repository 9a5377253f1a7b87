import type { FleetState } from "@toolrig/server/wire";
import { Command } from "../../components/copy.tsx";
import { Ago } from "../../components/time.tsx";
import { visible } from "../../format/visible.ts";
import { callDrawer } from "../../location/addresses.ts";

/** Calls that no worker could do, and why; and how to give one back to the queue, or let it go. */
export function DeadLetters({ letters }: { letters: FleetState["deadLetters"] }) {
  return (
    <section>
      <h2>Dead letters</h2>
      {letters.length === 0 && <p class="quiet">None.</p>}
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
            <Command command={`npx toolrig dlq retry ${id}`} />
            <Command command={`npx toolrig dlq drop ${id}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}
