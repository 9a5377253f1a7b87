import type { InboxItem } from "@toolrig/server/wire";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Badge, SafetyBadge } from "../../components/badge.tsx";
import { Json } from "../../components/code.tsx";
import { ShortId } from "../../components/copy.tsx";
import { FoldsContext, newFolds } from "../../components/folds.ts";
import { ProblemNote } from "../../components/problem.tsx";
import { ago, exactly, now } from "../../format/time.ts";
import { visible } from "../../format/visible.ts";
import { callDrawer, runPage, toolPage } from "../../location/addresses.ts";
import { Actions } from "./actions.tsx";
import { ArgumentList } from "./argument-list.tsx";
import { type Outgoing, undo } from "./decisions.ts";
import { TaintPath } from "./taint-path.tsx";

const KINDS: Record<InboxItem["kind"], string> = {
  approval: "asks first",
  question: "question",
  deferred: "result comes later",
  external: "runs elsewhere",
  background: "in the background",
};

/** One thing that waits, whole: what it is, why it asks, where its data comes from, and what one may do. */
export function InboxCard({
  item,
  outgoing,
  isCurrent,
  onFocus,
}: {
  item: InboxItem;
  outgoing: Outgoing | undefined;
  isCurrent: boolean;
  onFocus: () => void;
}) {
  const folds = useMemo(newFolds, []);
  if (outgoing !== undefined && outgoing.state !== "refused")
    return <Decided item={item} outgoing={outgoing} />;
  return (
    <article
      class={isCurrent ? "card current" : "card"}
      aria-label={visible(item.sentence)}
      onFocusIn={onFocus}
      onPointerDown={onFocus}
    >
      <header>
        <h2 dir="auto">{visible(headline(item))}</h2>
        <p class="card-facts">
          <Badge>{item.approved === undefined ? KINDS[item.kind] : "approved, not running"}</Badge>
          {item.safety !== undefined && <SafetyBadge safety={item.safety} />}
          <Expiry item={item} />
          <a href={toolPage(item.name)}>{visible(item.name)}</a>
          <a href={callDrawer(item.executionId)}>its call</a>
          {item.runId !== undefined && <a href={runPage(item.runId)}>its run</a>}
          <ShortId id={item.executionId} />
        </p>
      </header>
      {item.question !== undefined && (
        <p class="prose question" dir="auto">
          {visible(item.question.text)}
        </p>
      )}
      <Why item={item} />
      {item.taint !== undefined && item.taint.length > 0 && (
        <TaintPath sources={item.taint} name={item.name} />
      )}
      {!isBare(item) && (
        <FoldsContext value={folds}>
          <ArgumentList args={item.args} />
        </FoldsContext>
      )}
      {differs(item) && (
        <details>
          <summary>As the model wrote them</summary>
          <Json value={item.rawArguments} />
        </details>
      )}
      {outgoing?.state === "refused" && <ProblemNote error={outgoing.error} />}
      <Actions item={item} isCurrent={isCurrent} folds={folds} />
    </article>
  );
}

/** What is said below is not said twice: the sentence without the reason that it ends with. */
function headline({ sentence, reasons, question, note = "" }: InboxItem): string {
  const told = [...reasons.map(({ text }) => text), question?.text ?? "", note].filter((text) => text !== "");
  const end = told.find((text) => sentence.endsWith(text));
  if (end === undefined) return sentence;
  return sentence.slice(0, -end.length).replace(/(?: because|:) $/, "");
}

function Why({ item }: { item: InboxItem }) {
  const isSaid = item.note === undefined || item.reasons.some(({ text }) => text === item.note);
  // A question says itself what it waits for.
  if (item.kind === "question" || (item.reasons.length === 0 && isSaid)) return null;
  return (
    <section class="why">
      <h3>{item.kind === "approval" ? "Why it asks" : "What it waits for"}</h3>
      <ul>
        {item.reasons.map(({ guard, text }) => (
          <li key={text} class="prose" dir="auto">
            {visible(text)} {guard !== undefined && <code class="quiet">{visible(guard)}</code>}
          </li>
        ))}
        {!isSaid && <li class="prose">{visible(item.note ?? "")}</li>}
      </ul>
    </section>
  );
}

function Expiry({ item: { createdAt, expiresAt } }: { item: InboxItem }) {
  return (
    <span
      class="number"
      title={`Since ${exactly(createdAt)}${expiresAt === undefined ? "" : `, until ${exactly(expiresAt)}`}`}
    >
      since {ago(createdAt).replace(" ago", "")}
      {expiresAt !== undefined && (
        <span class={expiresAt - now.value < 300_000 ? "soon" : ""}>
          {expiresAt > now.value ? `, expires ${ago(expiresAt)}` : ", expired"}
        </span>
      )}
    </span>
  );
}

/** What was decided, and for a few seconds how to take that back. */
function Decided({ item, outgoing }: { item: InboxItem; outgoing: Outgoing }) {
  const [, tick] = useState(0);
  const about = visible(outgoing.decision.about);
  const isHeld = outgoing.state === "held";
  useEffect(() => {
    if (!isHeld) return;
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, [isHeld]);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Who decided by a button finds the way back under the same hand.
    if (isHeld && document.activeElement === document.body) button.current?.focus({ preventScroll: true });
  }, [isHeld]);
  return (
    <article class="card decided" aria-label={visible(item.sentence)}>
      <p role="status">
        <strong>{outgoing.decision.words}</strong>{" "}
        <span class="clip" title={about}>
          {about}
        </span>
      </p>
      {outgoing.state === "held" && (
        <button ref={button} type="button" onClick={() => undo(item.id)}>
          Undo <span class="number">{Math.max(1, Math.ceil((outgoing.sendsAt - Date.now()) / 1_000))} s</span>
        </button>
      )}
      {outgoing.state === "unsent" && (
        <>
          <span class="quiet">not sent yet</span>
          <button type="button" onClick={() => undo(item.id)}>
            Undo
          </button>
        </>
      )}
      {outgoing.state === "sending" && <span class="quiet">is being sent</span>}
      {outgoing.state === "sent" && <span class="quiet">sent</span>}
    </article>
  );
}

/** A question whose call is not known by its arguments. */
function isBare({ kind, args }: InboxItem): boolean {
  return kind === "question" && (typeof args !== "object" || args === null || Object.keys(args).length === 0);
}

function differs({ args, rawArguments }: InboxItem): boolean {
  if (rawArguments === undefined) return false;
  const raw = typeof rawArguments === "string" ? rawArguments : JSON.stringify(rawArguments);
  return raw !== JSON.stringify(args);
}
