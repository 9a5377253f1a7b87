import type { CallLine } from "@toolrig/server/wire";
import { oneLine } from "../format/visible.ts";
import { callDuration, callWords } from "../format/words.ts";
import { callDrawer } from "../location/addresses.ts";
import { Badge } from "./badge.tsx";
import { Redacted } from "./code-line.tsx";
import { Glyph } from "./glyph.tsx";
import { Ago } from "./time.tsx";

/** A call on one line: state, tool, the gist of its arguments, what is to say of it, how long, when. Opens its drawer. */
export function CallRow({ line, selected = false }: { line: CallLine; selected?: boolean }) {
  const words = callWords(line);
  return (
    <a
      class={`call-row call-${line.state} ${selected ? "selected" : ""}`}
      href={callDrawer(line.executionId)}
    >
      <Glyph state={line.state} blame={line.failure?.blame} />
      <bdi class="call-name clip">{oneLine(line.name)}</bdi>
      <bdi class="call-gist clip mono">
        <Redacted text={oneLine(line.gist)} />
      </bdi>
      <span class="call-marks">
        {line.state === "unknown" && <Badge tone="loud">outcome unknown</Badge>}
        {line.repaired && <Badge title="The arguments were repaired">repaired</Badge>}
        {(line.attempt ?? 1) > 1 && <Badge title={`Attempt ${line.attempt}`}>×{line.attempt}</Badge>}
        {line.cached && <Badge title="Answered from memory">cached</Badge>}
        {line.verdict !== undefined && <Badge title="By a guard">{line.verdict}</Badge>}
        {words !== "" && (
          <bdi
            class={`call-words clip ${line.failure ? `blame-${line.failure.blame}` : ""}`}
            title={oneLine(words)}
          >
            {oneLine(words)}
          </bdi>
        )}
      </span>
      <span class="call-duration number">{callDuration(line)}</span>
      <span class="call-when">
        <Ago at={line.startedAt} />
      </span>
    </a>
  );
}
