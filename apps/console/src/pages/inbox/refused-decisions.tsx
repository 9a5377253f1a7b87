import { oneLine, visible } from "../../format/visible.ts";
import { dismiss, type Outgoing, outgoing, undo } from "./decisions.ts";

/**
 * Decisions that did not count, on whatever page one is by then: somebody else was faster, it expired, the server said no or is away.
 * One that is not told would be taken for one that was done.
 */
export function RefusedDecisions() {
  return (
    <>
      {[...outgoing.value].map(([id, it]) => {
        const told = toldOf(it);
        if (told === undefined) return null;
        return (
          <div key={id} class="refused-decision" role="alert">
            <strong>
              {told.headline}: {it.decision.words}
            </strong>
            <span>
              {visible(told.why)} <span class="quiet">{oneLine(it.decision.about).slice(0, 160)}</span>
            </span>
            <button type="button" onClick={() => told.close(id)}>
              {told.button}
            </button>
          </div>
        );
      })}
    </>
  );
}

interface Told {
  headline: string;
  why: string;
  button: string;
  close: (id: string) => void;
}

function toldOf(it: Outgoing): Told | undefined {
  if (it.state === "unsent")
    return {
      headline: "Not sent",
      why: "The server does not answer. It is sent when the server is back, while this tab is open.",
      button: "Undo",
      close: undo,
    };
  if (it.state !== "refused") return undefined;
  return {
    // The first time it may have arrived, though no answer came back.
    headline: it.triedBefore ? "Sent again, not taken again" : "Did not count",
    why: it.error.problem.detail,
    button: "Dismiss",
    close: dismiss,
  };
}
