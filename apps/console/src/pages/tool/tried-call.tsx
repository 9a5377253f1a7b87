import type { CallLine, CallStatus } from "@toolrig/server/wire";
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api/client.ts";
import { onFeed } from "../../api/feed.ts";
import { useEvery } from "../../api/use-every.ts";
import { BlameBadge } from "../../components/badge.tsx";
import { Code, Json } from "../../components/code.tsx";
import { Glyph } from "../../components/glyph.tsx";
import { visible } from "../../format/visible.ts";
import { callDuration, callWords, STATE_WORDS } from "../../format/words.ts";
import { callDrawer } from "../../location/addresses.ts";

/** For what the feed did not tell: a call that ended while the connection was lost. */
const LOOK_AGAIN_MS = 3_000;

/** A call that was made here, from its start to its result. */
export function TriedCall({ status, onEnd }: { status: CallStatus; onEnd: () => void }) {
  const [known, setKnown] = useState(status);
  const { executionId } = status;
  const isOver = known.result !== undefined;
  const look = async () => {
    const next = await get<CallStatus>(`/calls/${encodeURIComponent(executionId)}`).catch(() => undefined);
    if (next === undefined) return;
    setKnown(next);
    if (next.result !== undefined) onEnd();
  };
  useEffect(() => {
    void look();
    return onFeed({
      calls(lines) {
        const line = lines.findLast((each) => each.executionId === executionId);
        if (line === undefined) return;
        if (line.endedAt !== undefined) void look();
        else setKnown((before) => newer(before, line));
      },
    });
  }, [executionId]);
  useEvery(LOOK_AGAIN_MS, () => {
    if (!isOver) void look();
  });
  const { line, result } = known;
  return (
    <div class="tried" role="status">
      <p class="tried-head">
        <Glyph state={line.state} blame={line.failure?.blame} />
        <strong>{STATE_WORDS[line.state]}</strong>
        <span class="number">{callDuration(line)}</span>
        {line.failure !== undefined && <BlameBadge blame={line.failure.blame} />}
        <a href={callDrawer(executionId)}>Why? The whole story</a>
        {line.state === "waiting" && <a href="/inbox">Answer it in the inbox</a>}
      </p>
      {result === undefined && <p class="prose quiet">{visible(callWords(line))}</p>}
      {result?.failure !== undefined && (
        <p class="prose">
          {visible(result.failure.message)} <code>{result.failure.code}</code>
        </p>
      )}
      {result?.content.map((part, index) =>
        part.type === "text" ? (
          <Code key={index} text={part.text} label="What the model gets" />
        ) : (
          <Json key={index} value={part} label={part.type} />
        ),
      )}
    </div>
  );
}

function newer(before: CallStatus, line: CallLine): CallStatus {
  return line.revision <= before.line.revision || before.result !== undefined
    ? before
    : { ...before, line, state: line.state };
}
