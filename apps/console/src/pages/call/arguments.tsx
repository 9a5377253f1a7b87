import type { CallStory } from "@toolrig/server/wire";
import { useMemo } from "preact/hooks";
import { Code } from "../../components/code.tsx";
import type { Range } from "../../components/code-line.tsx";
import { difference, words } from "../../format/diff.ts";
import { visible } from "../../format/visible.ts";

/** Longer texts are shown without marks. */
const LONGEST_MARKED = 40_000;

/** What the model wrote beside what ran, with the changes marked in place, and why each was made. */
export function Arguments({ story }: { story: CallStory }) {
  const { rawArguments, args, repairs } = story;
  const raw = useMemo(() => asText(rawArguments), [rawArguments]);
  const ran = useMemo(() => asText(args), [args]);
  const marks = useMemo(() => marked(raw, ran), [raw, ran]);
  if (rawArguments === undefined || rawArguments === null)
    return <Code text={ran} language="json" label="Arguments" />;
  if (args === undefined || args === null || raw === ran)
    return <Code text={raw} language="json" label="Arguments, as the model wrote them" />;
  return (
    <section class="arguments">
      <div class="beside">
        <Code
          text={raw}
          label="What the model wrote"
          marks={marks && { ranges: marks.before, tone: "removed" }}
        />
        <Code
          text={ran}
          label={
            story.line.state === "failed" && story.attempts.length === 0 ? "What was understood" : "What ran"
          }
          language="json"
          marks={marks && { ranges: marks.after, tone: "added" }}
        />
      </div>
      {marks === undefined && <p class="quiet">The two differ in too many places to mark them.</p>}
      {repairs.length > 0 && (
        <ul class="sentences">
          {repairs.map((repair, index) => (
            <li key={index}>
              {visible(repair.message)}
              {repair.at !== undefined && repair.at !== "" && <code class="clip">{visible(repair.at)}</code>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Text that is JSON is laid out as what ran is, so that only what differs is marked. */
function asText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2) ?? "";
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

/** Ranges of characters that are on one side only; blanks do not count. */
function marked(raw: string, ran: string): { before: Range[]; after: Range[] } | undefined {
  if (raw.length + ran.length > LONGEST_MARKED) return undefined;
  const [before, after] = [parts(raw), parts(ran)];
  const found = difference(
    before.map((part) => part.text),
    after.map((part) => part.text),
  );
  if (found === undefined) return undefined;
  return {
    before: before.filter((_, at) => found.before[at]).map(({ range }) => range),
    after: after.filter((_, at) => found.after[at]).map(({ range }) => range),
  };
}

function parts(text: string): { text: string; range: Range }[] {
  let at = 0;
  return words(text).flatMap((word) => {
    const range = [at, at + word.length] as const;
    at += word.length;
    return word.trim() === "" ? [] : [{ text: word, range }];
  });
}
