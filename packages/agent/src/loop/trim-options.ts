import { type CallExecutor, combineSources, Registry, readResultTool, type ToolSource } from "@toolrig/core";
import { type ArtifactStore, check, READ_RESULT, settingsOf } from "@toolrig/core/kit";
import type { Trimming } from "../run/trim.ts";
import type { TrimOptions } from "./options.ts";

export const TRIM_SETTINGS = settingsOf<TrimOptions>({
  keepTurns: true,
  everyTurns: true,
  savingAtLeast: true,
  largerThan: true,
  artifacts: true,
});

/** With room for the reference that takes a result's place. */
const LEAST = 500;

/** Results are kept in `artifacts`. Throws `OPTION_INVALID`, naming the option. */
export function trimmingOf(options: TrimOptions, artifacts: ArtifactStore): Trimming {
  const { keepTurns = 5, everyTurns = keepTurns, savingAtLeast = 10_000, largerThan = 2_000 } = options;
  return {
    keepTurns: check.count("trimResults.keepTurns", keepTurns),
    everyTurns: check.count("trimResults.everyTurns", everyTurns),
    savingAtLeast: check.count("trimResults.savingAtLeast", savingAtLeast, 0),
    largerThan: check.count("trimResults.largerThan", largerThan, LEAST),
    artifacts,
  };
}

/** For an executor that was given: its tools must be able to read what is kept. */
export function trimmingFor(options: TrimOptions, executor: CallExecutor, tools: ToolSource): Trimming {
  const { artifacts = (executor as { artifacts?: ArtifactStore }).artifacts } = options;
  const expected = "a store of artifacts, where the executor has none";
  if (artifacts === undefined) throw check.invalid("trimResults.artifacts", expected, artifacts);
  check.has("trimResults.artifacts", artifacts, ["put", "read"], expected);
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
