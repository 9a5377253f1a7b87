import type { CallStory } from "@toolrig/server/wire";
import { useEffect } from "preact/hooks";
import { onFeed } from "../../api/feed.ts";
import { useResource } from "../../api/use-resource.ts";
import { Json } from "../../components/code.tsx";
import { ShortId } from "../../components/copy.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { oneLine } from "../../format/visible.ts";
import "./call.css";

/** Everything known of one call, read again whenever the feed says that it changed. */
export function CallStoryView({ id, onClose }: { id: string; onClose?: () => void }) {
  const {
    data: story,
    error,
    stale,
    reload,
  } = useResource<CallStory>(`/calls/${encodeURIComponent(id)}/story`);
  useEffect(
    () => onFeed({ calls: (lines) => lines.some((line) => line.executionId === id) && reload() }),
    [id, reload],
  );
  return (
    <article class={`story ${stale}`}>
      <header class="story-head">
        {story !== undefined && (
          <>
            <Glyph state={story.line.state} blame={story.failure?.blame} />
            <h2 class="clip">{oneLine(story.line.name)}</h2>
          </>
        )}
        <ShortId id={id} />
        {onClose !== undefined && (
          <button type="button" class="plain" onClick={onClose}>
            Close
          </button>
        )}
      </header>
      {error !== undefined && <ProblemNote error={error} />}
      {story !== undefined && <Json value={story.args} label="Arguments" />}
    </article>
  );
}
