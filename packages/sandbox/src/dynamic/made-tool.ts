import { type AnyTool, result, type ToolContext, type ToolFailure, type ToolSource } from "@toolrig/core";
import { defined, defineTool, joinLabels, waitsWithin } from "@toolrig/core/kit";
import { schemaOf } from "./field.ts";
import { type Handled, handlerOf, type Workshop } from "./handler.ts";
import type { MadeTool } from "./recipe.ts";

/** What a made tool asks before each call: undefined when it may run as it is. */
export type Admission = (made: MadeTool) => ToolFailure | undefined | Promise<ToolFailure | undefined>;

/** The tool of a recipe. Throws `TOOL_INVALID_DEFINITION` for one that cannot be. */
export function toolOf(made: MadeTool, workshop: Workshop, admit: Admission): AnyTool {
  const { name, version, description, output, example, safety, labels, hash } = made;
  const run = handlerOf(made, workshop);
  return defineTool(
    {
      name,
      // Another source is another definition: what was granted to one is not granted to the other. All of the hash, for two
      // sources with the same beginning are found in seconds.
      version: `${version}.0.0+${hash}`,
      description,
      input: schemaOf(made.arguments),
      ...(output !== undefined && { output: schemaOf(output) }),
      safety,
      labels,
      type: "dynamic",
      // Started again, it goes on where it waited, and finds in the ledger what it did since.
      ...(made.uses.length > 0 && { ledger: true, reconcile: () => ({ outcome: "never-ran" as const }) }),
      ...(example !== undefined && { examples: [{ arguments: example }] }),
      available: () => missing(made, workshop.tools) ?? true,
      async execute(input: unknown, context: ToolContext) {
        const refusal = await admit(made);
        if (refusal !== undefined) return refusal;
        const answer = await run(input, context);
        if (answer.status === "waiting") return waitsWithin(answer.waiting);
        return outcomeOf(answer, context.principal?.id === made.by ? undefined : name);
      },
    },
    { trusted: labels.integrity !== "untrusted" },
  );
}

/** Of somebody else's code: what it says is theirs. A value that is not there is checked like any other. */
function outcomeOf(answer: Exclude<Handled, { status: "waiting" }>, foreign: string | undefined) {
  const theirs = foreign === undefined ? undefined : ({ integrity: "untrusted", source: foreign } as const);
  const labels = joinLabels(answer.labels, theirs);
  const about = {
    ...defined({ labels }),
    ...(answer.log.length > 0 && { details: { log: answer.log } }),
  };
  if (answer.status === "failed") return result({ ...about, failure: answer.failure });
  return result({ ...about, value: answer.value ?? null });
}

function missing({ uses }: MadeTool, tools: ToolSource): string | undefined {
  const gone = uses.filter(({ name }) => tools.get(name) === undefined).map(({ name }) => name);
  return gone.length === 0 ? undefined : `it calls ${gone.join(" and ")}, which is not there`;
}
