import { oneLine, visible } from "../../format/visible.ts";
import { dismiss, outgoing } from "./decisions.ts";

/**
 * Decisions that did not count, on whatever page one is by then: somebody else was faster, it expired, the server said no. One that
 * is not told would be taken for one that was done.
 */
export function RefusedDecisions() {
  return (
    <>
      {[...outgoing.value].map(
        ([id, it]) =>
          it.state === "refused" && (
            <div key={id} class="refused-decision" role="alert">
              <strong>Did not count: {it.decision.words}</strong>
              <span>
                {visible(it.error.problem.detail)}{" "}
                <span class="quiet">{oneLine(it.decision.about).slice(0, 160)}</span>
              </span>
              <button type="button" onClick={() => dismiss(id)}>
                Dismiss
              </button>
            </div>
          ),
      )}
    </>
  );
}
