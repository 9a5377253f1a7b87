import type { CallStory } from "@toolrig/server/wire";
import { useEffect } from "preact/hooks";
import { onFeed } from "../../api/feed.ts";
import { useResource } from "../../api/use-resource.ts";
import { BlameBadge } from "../../components/badge.tsx";
import { CallRow } from "../../components/call-row.tsx";
import { Json } from "../../components/code.tsx";
import { Commands, ShortId } from "../../components/copy.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago } from "../../components/time.tsx";
import { oneLine, visible } from "../../format/visible.ts";
import { callDuration, STATE_WORDS, waitWords } from "../../format/words.ts";
import { callPage } from "../../location/addresses.ts";
import { Arguments } from "./arguments.tsx";
import { Attempts, Effects, Late, Updates, Verdicts, Waits } from "./happenings.tsx";
import { Result } from "./result.tsx";
import { StageBar } from "./stage-bar.tsx";
import { Who } from "./who.tsx";
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
    () =>
      onFeed({ calls: (lines) => lines.some((line) => line.executionId === id) && reload(), gap: reload }),
    [id],
  );
  return (
    <article class={`story ${stale}`}>
      <header class="story-head">
        {story !== undefined && <Glyph state={story.line.state} blame={story.failure?.blame} />}
        <h2 class="clip">{story === undefined ? "Call" : oneLine(story.line.name)}</h2>
        <ShortId id={id} />
        <span class="spacer" />
        {onClose !== undefined && (
          <>
            <a class="button plain" href={callPage(id)}>
              Whole page
            </a>
            <button type="button" class="plain" onClick={onClose} title="esc">
              Close
            </button>
          </>
        )}
      </header>
      {error !== undefined && <ProblemNote error={error} />}
      {story !== undefined && <Story story={story} />}
    </article>
  );
}

function Story({ story }: { story: CallStory }) {
  return (
    <div class="story-body">
      <Outcome story={story} />
      <StageBar stages={story.stages} running={story.line.state === "running"} />
      <Updates story={story} />
      <Arguments story={story} />
      <Verdicts story={story} />
      <Waits story={story} />
      <Attempts story={story} />
      <Effects story={story} />
      <Result story={story} />
      <Late story={story} />
      {story.children.length > 0 && (
        <section>
          <h3>Calls it made</h3>
          <div class="children">
            {story.children.map((line) => (
              <CallRow key={line.executionId} line={line} />
            ))}
          </div>
        </section>
      )}
      <Who story={story} />
      <Commands commands={story.commands} />
    </div>
  );
}

/** The sentence that says what became of it. */
function Outcome({ story }: { story: CallStory }) {
  const { line, failure } = story;
  const loud = line.state === "unknown";
  return (
    <div class={`outcome ${loud ? "loud" : ""} ${failure ? `blame-${failure.blame}` : ""}`}>
      <p>
        <strong>{loud ? "Outcome unknown" : STATE_WORDS[line.state]}</strong>
        {line.state === "waiting" && line.waiting !== undefined && (
          <> · {visible(waitWords(line.waiting, line.note))}</>
        )}
        {line.state === "running" && <> for {callDuration(line)}</>}
        {line.state !== "waiting" && line.state !== "running" && <> after {callDuration(line)}</>}
        <span class="quiet">
          {" "}
          · began <Ago at={line.startedAt} />
        </span>
      </p>
      {failure !== undefined && (
        <>
          <p class="prose outcome-words">{visible(failure.sentence)}</p>
          <p class="outcome-facts">
            <BlameBadge blame={failure.blame} />
            <code>{failure.code}</code>
            {failure.retryable && <span class="quiet">may succeed later</span>}
          </p>
          {failure.details !== undefined && <Json value={failure.details} label="Details" />}
        </>
      )}
      {line.state === "waiting" && (
        <p>
          <a href="/inbox">Answer it in the inbox</a>
        </p>
      )}
    </div>
  );
}
