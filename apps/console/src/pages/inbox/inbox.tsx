import type { InboxItem } from "@toolrig/server/wire";
import { useRef, useState } from "preact/hooks";
import { Empty } from "../../components/empty.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { count, plural } from "../../format/numbers.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { InboxCard } from "./card.tsx";
import { type Outgoing, outgoing, undo } from "./decisions.ts";
import "./inbox.css";
import { useInbox } from "./use-inbox.ts";

const ASK_FIRST =
  'policy: { rules: [{ name: "ask first", verdict: "ask", reason: "somebody should look" }] },';

/** What needs me? Cards of everything that waits for a person or a result, soonest to expire first. */
export function Inbox() {
  const { items, fresh, showFresh, resource } = useInbox();
  const [current, setCurrent] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  const shown = items ?? [];
  const last = useRef(0);
  const found = shown.findIndex(({ id }) => id === current);
  // Where a card is over, the one that takes its place is next; never one that was left before.
  const at = found === -1 ? Math.max(0, Math.min(last.current, shown.length - 1)) : found;
  last.current = at;
  const move = (by: number) => {
    const next = shown[Math.max(0, Math.min(shown.length - 1, at + by))];
    if (next === undefined) return;
    setCurrent(next.id);
    list.current?.children[shown.indexOf(next)]?.scrollIntoView({ block: "nearest" });
  };
  useKeys("Inbox", {
    j: { label: "Next", run: () => move(1) },
    k: { label: "Previous", run: () => move(-1) },
    u: { label: "Undo what was decided last", run: () => undo() },
  });
  return (
    <div class="page inbox">
      <header class="page-head">
        <h1>Inbox</h1>
        <p class="quiet">{headline(items?.filter(({ id }) => isUndecided(outgoing.value.get(id))))}</p>
      </header>
      {resource.error !== undefined && <ProblemNote error={resource.error} />}
      {fresh > 0 && (
        <button type="button" class="pill" onClick={showFresh}>
          {count(fresh)} new
        </button>
      )}
      {items?.length === 0 && (
        <Empty title="Nothing waits for you" command={ASK_FIRST} demo>
          Calls that ask before they act, tools that ask a question and results that come later are answered
          here. With this in <code>toolrig.config.ts</code>, every call asks first.
        </Empty>
      )}
      <ol ref={list} class={`cards ${resource.stale}`} aria-label="What waits">
        {shown.map((item, index) => (
          <li key={item.id}>
            <InboxCard
              item={item}
              outgoing={outgoing.value.get(item.id)}
              isCurrent={index === at}
              onFocus={() => setCurrent(item.id)}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Also what the server refused: it is to be decided again. */
function isUndecided(decided: Outgoing | undefined): boolean {
  return decided === undefined || decided.state === "refused";
}

function headline(items: readonly InboxItem[] | undefined): string {
  if (items === undefined) return "";
  if (items.length === 0) return "All is answered.";
  const asks = items.filter(({ kind }) => kind === "approval" || kind === "question").length;
  const results = items.length - asks;
  const parts = [
    ...(asks > 0 ? [`${plural(asks, "call")} ${asks === 1 ? "needs" : "need"} an answer`] : []),
    ...(results > 0 ? [`${plural(results, "call")} ${results === 1 ? "waits" : "wait"} for a result`] : []),
  ];
  const order = items.some(({ expiresAt }) => expiresAt !== undefined) ? " Soonest to expire first." : "";
  return `${parts.join(", ")}.${order}`;
}
