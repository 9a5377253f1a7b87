import type { CallStory } from "@toolrig/server/wire";
import type { ComponentChildren } from "preact";
import { ShortId } from "../../components/copy.tsx";
import { oneLine, visible } from "../../format/visible.ts";
import { callDrawer, runPage, toolPage } from "../../location/addresses.ts";

/** Who called, in which run, from which call, and where it is recorded. */
export function Who({ story }: { story: CallStory }) {
  const { line, principal, record, version, labels } = story;
  return (
    <section>
      <h3>Who</h3>
      <dl class="who">
        {principal !== undefined && <Fact name="Principal">{oneLine(principal.id)}</Fact>}
        <Fact name="Came from">{visible(story.source)}</Fact>
        <Fact name="Tool">
          <a href={toolPage(line.name)}>{oneLine(line.name)}</a> {version}
        </Fact>
        {line.runId !== undefined && (
          <Fact name="Run">
            <a href={runPage(line.runId)}>See the run</a> <ShortId id={line.runId} />
          </Fact>
        )}
        {line.parentId !== undefined && (
          <Fact name="Made by">
            <a href={callDrawer(line.parentId)}>the call</a> <ShortId id={line.parentId} />
          </Fact>
        )}
        <Fact name="Model's call">
          <ShortId id={line.callId} />
        </Fact>
        {labels !== undefined && <Fact name="Labels">{visible(JSON.stringify(labels))}</Fact>}
        {record !== undefined && (
          <Fact name="Record">
            {record.seq.toLocaleString("en-US")} <ShortId id={record.hash} />
            {record.recovered && " · recovered after a crash"}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="clip">{children}</dd>
    </div>
  );
}
