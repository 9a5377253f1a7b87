import type { InboxItem } from "@toolrig/server/wire";
import { useState } from "preact/hooks";
import type { Folds } from "../../components/folds.ts";
import { visible } from "../../format/visible.ts";
import { type Keys, useKeys } from "../../keyboard/keys.ts";
import { CompleteForm, EditForm, QuestionForm, ReasonForm } from "./action-forms.tsx";
import { decide } from "./decisions.ts";

/** What one does with a wait: its button, its key, and where it leads. */
interface Action {
  key: string;
  label: string;
  tone?: "primary" | "danger";
  run: () => void;
}

type Opened = "edit" | "deny" | "decline" | "complete" | "fail" | undefined;

/**
 * The buttons of a card, and the form that one of them opened. The keys are those of the current card. While something on the card
 * is folded, approving it shows all of it first: nobody approves what they have not seen.
 */
export function Actions({ item, isCurrent, folds }: { item: InboxItem; isCurrent: boolean; folds: Folds }) {
  const [opened, setOpened] = useState<Opened>();
  const send = (verb: string, words: string, body: unknown = {}, about = item.sentence) =>
    decide({
      id: item.id,
      words,
      about,
      path: `/inbox/${encodeURIComponent(item.id)}/${verb}`,
      body,
    });
  const close = () => setOpened(undefined);
  const may = item.may.answer;
  const unfold = () => {
    folds.opened.value++;
  };
  const isFolded = folds.hidden.value > 0;
  const wasUnfolded = !isFolded && folds.opened.value > 0;
  const actions = may ? actionsOf(item, opened, setOpened, send, isFolded ? unfold : undefined) : [];
  const keys: Keys = {};
  for (const { key, label, run } of actions) keys[key] = { label, run };
  useKeys("This card", keys, isCurrent && may);

  if (!may) return <p class="quiet may-not">{visible(item.may.why ?? "You may not answer this.")}</p>;
  return (
    <div class="actions">
      {item.kind === "question" && (
        // Out of sight, not gone: what was typed is there again for whoever does not decline after all.
        <div hidden={opened !== undefined}>
          <QuestionForm item={item} onAnswer={(value) => send("answer", "Answered.", { value })} />
        </div>
      )}
      {opened === "edit" && (
        <EditForm
          item={item}
          onClose={close}
          onSend={(args) =>
            send("approve", "Approved as edited.", { args }, `${item.name} ${JSON.stringify(args)}`)
          }
        />
      )}
      {opened === "complete" && (
        <CompleteForm
          item={item}
          onClose={close}
          onSend={(value) => send("complete", "Completed.", { value })}
        />
      )}
      {opened === "deny" && (
        <ReasonForm
          label="Deny"
          hint="Why not? The model is told."
          onClose={close}
          onSend={(reason) => send("deny", "Denied.", withReason(reason))}
        />
      )}
      {opened === "decline" && (
        <ReasonForm
          label="Decline"
          hint="Why not? The tool is told."
          onClose={close}
          onSend={(reason) => send("decline", "Declined.", withReason(reason))}
        />
      )}
      {opened === "fail" && (
        <ReasonForm
          label="Report failure"
          hint="What went wrong? The model is told."
          isRequired
          onClose={close}
          onSend={(message) => send("complete", "Failed.", { failure: { message } })}
        />
      )}
      {opened === undefined &&
        item.kind === "approval" &&
        item.approved === undefined &&
        (isFolded || wasUnfolded) && (
          <p class="fold-note" role="status">
            {isFolded
              ? "Part of this is folded. The first press shows all of it, the second approves."
              : "All of it is shown now. Press again to approve."}
          </p>
        )}
      {opened === undefined && <Buttons actions={actions} />}
    </div>
  );
}

function Buttons({ actions }: { actions: readonly Action[] }) {
  return (
    <div class="buttons">
      {actions.map(({ key, label, tone = "", run }) => (
        <button key={label} type="button" class={tone} onClick={run}>
          {label} <kbd>{key}</kbd>
        </button>
      ))}
    </div>
  );
}

function actionsOf(
  { kind, approved }: InboxItem,
  opened: Opened,
  open: (what: Opened) => void,
  send: (verb: string, words: string) => void,
  /** Where something is folded. */
  unfold: (() => void) | undefined,
): readonly Action[] {
  if (opened !== undefined) return [];
  // Somebody has let it run, and the process that asked is gone.
  if (approved !== undefined)
    return [{ key: "r", label: "Run", tone: "primary", run: () => send("run", "Run.") }];
  const cancel: Action = { key: "x", label: "Cancel", run: () => send("cancel", "Cancelled.") };
  switch (kind) {
    case "approval":
      return [
        {
          key: "a",
          label: unfold === undefined ? "Approve" : "Show all, then approve",
          tone: "primary",
          run: unfold ?? (() => send("approve", "Approved.")),
        },
        {
          key: "e",
          label: "Edit",
          run: () => {
            unfold?.();
            open("edit");
          },
        },
        { key: "d", label: "Deny", tone: "danger", run: () => open("deny") },
      ];
    case "question":
      return [{ key: "d", label: "Decline", run: () => open("decline") }, cancel];
    case "deferred":
    case "external":
      return [
        { key: "a", label: "Complete", tone: "primary", run: () => open("complete") },
        { key: "d", label: "It failed", tone: "danger", run: () => open("fail") },
        cancel,
      ];
    case "background":
      return [cancel];
  }
}

function withReason(reason: string): { reason?: string } {
  return reason === "" ? {} : { reason };
}
