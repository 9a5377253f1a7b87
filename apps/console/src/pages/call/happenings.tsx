import type { CallStory } from "@toolrig/server/wire";
import { Code, Json } from "../../components/code.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { Ago } from "../../components/time.tsx";
import { duration } from "../../format/time.ts";
import { visible } from "../../format/visible.ts";

const VERDICT_STATES: Record<string, "ok" | "failed" | "waiting"> = {
  allow: "ok",
  deny: "failed",
  ask: "waiting",
  stop: "failed",
};

/** What guards said, as sentences. */
export function Verdicts({ story }: { story: CallStory }) {
  if (story.verdicts.length === 0) return null;
  return (
    <section>
      <h3>Guards</h3>
      <ul class="sentences">
        {story.verdicts.map((verdict, index) => (
          <li key={index}>
            <Glyph state={VERDICT_STATES[verdict.verdict] ?? "ok"} blame="policy" label={verdict.verdict} />
            <span>{visible(verdict.sentence)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What it waited for, how long, and who ended it. */
export function Waits({ story }: { story: CallStory }) {
  if (story.waits.length === 0) return null;
  return (
    <section>
      <h3>Waited</h3>
      <ul class="sentences">
        {story.waits.map((wait, index) => (
          <li key={index}>
            <Glyph state="waiting" label={wait.kind} />
            <span>
              {duration(wait.waitedMs)} for {WAITED[wait.kind]}: {visible(wait.how)}
              {wait.by !== undefined && ` by ${visible(wait.by)}`}.
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const WAITED = {
  approval: "an approval",
  question: "an answer",
  deferred: "its result",
  external: "a result from elsewhere",
  background: "its own code",
} as const;

/** Every start of the tool's code, where there was more to it than one. */
export function Attempts({ story }: { story: CallStory }) {
  const { attempts } = story;
  if (attempts.length < 2 && !attempts.some(({ failure, error }) => failure ?? error)) return null;
  return (
    <section>
      <h3>Attempts</h3>
      <ol class="sentences">
        {attempts.map(({ attempt, failure, delayMs, error }) => (
          <li key={attempt}>
            <Glyph state={failure === undefined && error === undefined ? "ok" : "failed"} blame="world" />
            <div>
              <span>
                {attempt}. {visible(failure?.message ?? error?.message ?? "succeeded")}
                {delayMs !== undefined && <span class="quiet"> · then paused {duration(delayMs)}</span>}
              </span>
              {error?.stack !== undefined && (
                <details>
                  <summary>Stack</summary>
                  <Code text={error.stack} />
                </details>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What it said on the way: how far it is, and the latest words. */
export function Updates({ story }: { story: CallStory }) {
  const latest = story.updates.at(-1);
  if (latest === undefined) return null;
  const { progress, content } = latest.update;
  return (
    <section class="updates">
      {progress !== undefined && <progress value={progress} max={1} aria-label="Progress" />}
      <p class="clip">
        {visible(content ?? "")}{" "}
        <span class="quiet">
          <Ago at={latest.at} />
        </span>
      </p>
      {story.updates.length > 1 && (
        <details>
          <summary>All {story.updates.length} updates</summary>
          <ul class="sentences">
            {story.updates.map(({ at, update }, index) => (
              <li key={index}>
                <span class="quiet">
                  <Ago at={at} />
                </span>
                <span>{visible(update.content ?? JSON.stringify(update.details ?? update.progress))}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** What it changed in the world; files as diffs. */
export function Effects({ story }: { story: CallStory }) {
  if (story.effects.length === 0) return null;
  return (
    <section>
      <h3>Effects</h3>
      {story.effects.map(({ sentence, diff, effect }, index) => (
        <div key={index} class="effect">
          <p class="prose">{visible(sentence)}</p>
          {diff !== undefined && <Code text={diff} language="diff" label="Changes" />}
          {diff === undefined && effect.type === "custom" && effect.data !== undefined && (
            <Json value={effect.data} label={visible(effect.name)} />
          )}
        </div>
      ))}
    </section>
  );
}

/** What came after the call was given up. */
export function Late({ story }: { story: CallStory }) {
  if (story.late.length === 0) return null;
  return (
    <section>
      <h3>Came too late</h3>
      {story.late.map(({ at, isError, message, value }, index) => (
        <div key={index} class="effect">
          <p>
            {isError ? "An error" : "A result"} came <Ago at={at} />, after the call was over. The model did
            not get it.
          </p>
          <Json value={value ?? message} />
        </div>
      ))}
    </section>
  );
}
