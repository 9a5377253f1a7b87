import type { ToolDetail } from "@toolrig/server/wire";
import { useState } from "preact/hooks";
import { ApiError, put, remove } from "../../api/client.ts";
import { ProblemNote } from "../../components/problem.tsx";
import { visible } from "../../format/visible.ts";

/** What the model is told the tool does. It can be said in other words, at once and without a new version of the tool. */
export function Description({ tool, onChanged }: { tool: ToolDetail; onChanged: () => void }) {
  const [text, setText] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const path = `/tools/${encodeURIComponent(tool.name)}/description`;
  const change = async (sent: Promise<unknown>) => {
    try {
      await sent;
      setText(undefined);
      setError(undefined);
      onChanged();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
    }
  };
  if (text === undefined)
    return (
      <div class="tool-description">
        <p class="prose" dir="auto">
          {visible(tool.description)}
        </p>
        <p class="quiet">
          {tool.ownDescription !== undefined && <>Overridden. Its own is: {visible(tool.ownDescription)} </>}
          <button type="button" class="plain" onClick={() => setText(tool.description)}>
            Say it in other words
          </button>
          {tool.ownDescription !== undefined && (
            <button type="button" class="plain" onClick={() => void change(remove(path))}>
              Back to its own
            </button>
          )}
        </p>
        {error !== undefined && <ProblemNote error={error} />}
      </div>
    );
  return (
    <form
      class="tool-description"
      onSubmit={(event) => {
        event.preventDefault();
        void change(put(path, { description: text }));
      }}
    >
      <textarea
        aria-label="What the model is told"
        rows={3}
        value={text}
        dir="auto"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {error !== undefined && <ProblemNote error={error} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={text.trim() === "" || text === tool.description}>
          Tell it so from now on
        </button>
        <button type="button" class="plain" onClick={() => setText(undefined)}>
          Back
        </button>
      </div>
    </form>
  );
}
