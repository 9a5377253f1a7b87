import type { CallStory } from "@toolrig/server/wire";
import { duration } from "../../format/time.ts";
import { visible } from "../../format/visible.ts";

type Stage = CallStory["stages"][number];

const STAGE_WORDS: Record<Stage["name"], string> = {
  prepare: "prepare",
  wait: "wait",
  run: "run",
  retry: "pause before retry",
  settle: "settle",
};

/** Where the time of a call went, to scale; below it every stage with its share in words. */
export function StageBar({ stages, running }: { stages: readonly Stage[]; running: boolean }) {
  const whole = stages.reduce((sum, stage) => sum + stage.durationMs, 0);
  if (stages.length === 0) return null;
  return (
    <section class="stages" aria-label="Stages">
      <div class="stage-bar" aria-hidden="true">
        {stages.map((stage, index) => (
          <i
            key={index}
            class={`stage-${stage.name} ${running && index === stages.length - 1 ? "open" : ""}`}
            style={{ flexGrow: String(whole === 0 ? 1 : stage.durationMs / whole) }}
            title={`${STAGE_WORDS[stage.name]}: ${duration(stage.durationMs)}`}
          />
        ))}
      </div>
      <ol class="stage-list">
        {stages.map((stage, index) => (
          <li key={index}>
            <i class={`stage-${stage.name}`} />
            {STAGE_WORDS[stage.name]}
            <strong>{duration(stage.durationMs)}</strong>
            {stage.note !== undefined && <span class="quiet">{visible(stage.note)}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
