import type { InboxItem } from "@toolrig/server/wire";
import { Badge } from "../../components/badge.tsx";
import { visible } from "../../format/visible.ts";
import { callDrawer } from "../../location/addresses.ts";

/** Where the data of a call may come from: what its run read before, in order, on a line that ends in the call. */
export function TaintPath({ sources, name }: { sources: NonNullable<InboxItem["taint"]>; name: string }) {
  return (
    <section class="taint">
      <h3>What its run read before</h3>
      <ol>
        {sources.map((source, index) => (
          <li key={index}>
            {source.executionId === undefined ? (
              <span dir="auto">{visible(source.name)}</span>
            ) : (
              <a href={callDrawer(source.executionId)} dir="auto">
                {visible(source.name)}
              </a>
            )}
            {source.labels.map((label) => (
              <Badge key={label}>{visible(label)}</Badge>
            ))}
          </li>
        ))}
        <li>
          <strong>{visible(name)}</strong>
        </li>
      </ol>
    </section>
  );
}
