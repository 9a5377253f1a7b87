import { type CallExecutor, combineSources, Registry, readResultTool, type ToolSource } from "@toolrig/core";
import { type ArtifactStore, check, READ_RESULT } from "@toolrig/core/kit";
import type { Trimming } from "../run/trim.ts";
import { type TrimOptions, trimOptions } from "./options.ts";

/** Results are kept in `artifacts`. */
export function trimmingOf(options: TrimOptions, artifacts: ArtifactStore): Trimming {
  const { keepTurns, savingAtLeast, largerThan, everyTurns = keepTurns } = trimOptions.withDefaults(options);
  return { keepTurns, everyTurns, savingAtLeast, largerThan, artifacts };
}

/** For an executor that was given: its tools must be able to read what is kept. */
export function trimmingFor(options: TrimOptions, executor: CallExecutor, tools: ToolSource): Trimming {
  const { artifacts = (executor as { artifacts?: ArtifactStore }).artifacts } = options;
  const expected = "a store of artifacts, where the executor has none";
  if (artifacts === undefined) throw check.invalid("trimResults.artifacts", expected, artifacts);
  if (tools.get(READ_RESULT) === undefined) {
    const needed = `a list with readResultTool(artifacts), so that the model can read what is left out`;
    throw check.invalid("tools", needed, `one without ${READ_RESULT}`);
  }
  return trimmingOf(options, artifacts);
}

/** The tools, and the one that reads what is left out: ours, whatever else is called so. */
export function withReader(tools: ToolSource, artifacts: ArtifactStore): ToolSource {
  return combineSources(new Registry([readResultTool(artifacts)]), tools);
}
