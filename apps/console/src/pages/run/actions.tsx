import type { RunDetail } from "@toolrig/server/wire";
import { useState } from "preact/hooks";
import { ApiError, post } from "../../api/client.ts";
import { server } from "../../api/server.ts";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { plural } from "../../format/numbers.ts";
import { runPage } from "../../location/addresses.ts";
import { navigate } from "../../location/location.ts";

/** Sends something to a run; goes to the run that comes of it, where it is another. */
export function useRunActions(runId: string, done: () => void) {
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState<ApiError>();
  const [said, setSaid] = useState("");
  const send = async (action: string, body: unknown, words: string): Promise<boolean> => {
    setBusy(action);
    setProblem(undefined);
    setSaid("");
    try {
      const answer = await post<{ runId?: string } | undefined>(
        `/runs/${encodeURIComponent(runId)}/${action}`,
        body,
      );
      if (answer?.runId !== undefined && answer.runId !== runId) navigate(runPage(answer.runId));
      else setSaid(words);
      done();
      return true;
    } catch (error) {
      if (error instanceof ApiError) setProblem(error);
      else throw error;
      return false;
    } finally {
      setBusy("");
    }
  };
  return { busy, problem, said, send };
}

type Actions = ReturnType<typeof useRunActions>;

/** What one can do with a run: speak to it and stop it while it is here, take it up or play it again afterwards. */
export function RunActions({ run, actions }: { run: RunDetail; actions: Actions }) {
  const { here, state } = run.line;
  const underWay = here && (state === "running" || state === "waiting");
  const asks = run.waitingFor.filter(({ kind }) => kind === "approval").length;
  const engine = server.value?.features.engine ?? true;
  return (
    <div class="run-actions">
      {underWay && <Speak actions={actions} asks={asks} />}
      {underWay && <Abort actions={actions} />}
      {!underWay && ["open", "waiting", "failed", "aborted"].includes(state) && (
        <button
          type="button"
          disabled={!engine || actions.busy !== ""}
          onClick={() => void actions.send("resume", {}, "It goes on.")}
        >
          Resume
        </button>
      )}
      {!underWay && (
        <button
          type="button"
          disabled={!engine || actions.busy !== ""}
          title="The task again, with the recorded results in the place of the tools"
          onClick={() => void actions.send("replay", {}, "It is replayed.")}
        >
          Replay
        </button>
      )}
      {!underWay && state === "running" && (
        <span class="quiet">Another process runs it: it can be steered there.</span>
      )}
      {!engine && <span class="quiet">This server has no engine, so that it cannot start runs.</span>}
      <span role="status">{actions.said}</span>
      {actions.problem !== undefined && <ProblemNote error={actions.problem} />}
    </div>
  );
}

function Speak({ actions, asks }: { actions: Actions; asks: number }) {
  const [text, setText] = useState("");
  const speak = async (action: "steer" | "follow-up", words: string) => {
    if (await actions.send(action, { text }, words)) setText("");
  };
  const silent = text.trim() === "" || actions.busy !== "";
  return (
    <form
      class="speak"
      onSubmit={(event) => {
        event.preventDefault();
        if (!silent) void speak("steer", "It will be told after the calls that are under way.");
      }}
    >
      <input
        aria-label="Say to the agent"
        placeholder="Say something to the agent"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" disabled={silent} title="As soon as the calls under way are answered">
        Steer
      </button>
      <button
        type="button"
        disabled={silent}
        title="When it would be done"
        onClick={() => void speak("follow-up", "It will be told when it is done.")}
      >
        Follow up
      </button>
      {asks > 0 && (
        <span class="quiet">
          Steering denies {plural(asks, "call")} that {asks === 1 ? "waits" : "wait"} for approval; a
          follow-up does not.
        </span>
      )}
    </form>
  );
}

/** Twice to be sure. */
function Abort({ actions }: { actions: Actions }) {
  const [sure, setSure] = useState(false);
  return (
    <button
      type="button"
      class="danger"
      disabled={actions.busy !== ""}
      onBlur={() => setSure(false)}
      onClick={() => {
        if (sure) void actions.send("abort", {}, "It is being stopped.");
        setSure(!sure);
      }}
    >
      {sure ? "Really abort" : "Abort"}
    </button>
  );
}

/** A new run from the past of this one. */
export function ForkDialog({
  turn,
  actions,
  onClose,
}: {
  turn: number;
  actions: Actions;
  onClose: () => void;
}) {
  const [input, setInput] = useState("");
  return (
    <Dialog title={`Fork after turn ${turn}`} onClose={onClose}>
      <form
        class="fork-form"
        onSubmit={async (event) => {
          event.preventDefault();
          const text = input.trim();
          if (await actions.send("fork", { turn, ...(text !== "" && { input: text }) }, "Forked.")) onClose();
        }}
      >
        <p class="prose">
          A new run with everything up to and including turn {turn}. Calls that were made are not made again.
        </p>
        <label>
          What it is told then, if anything
          <textarea rows={3} value={input} onInput={({ currentTarget }) => setInput(currentTarget.value)} />
        </label>
        {actions.problem !== undefined && <ProblemNote error={actions.problem} />}
        <button type="submit" class="primary" disabled={actions.busy !== ""}>
          Fork
        </button>
      </form>
    </Dialog>
  );
}
