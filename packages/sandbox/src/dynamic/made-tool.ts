import { type AnyTool, result, type ToolContext, type ToolFailure, type ToolSource } from "@toolrig/core";
import { defineTool } from "@toolrig/core/kit";
import { schemaOf } from "./field.ts";
import { handlerOf, type Workshop } from "./handler.ts";
import type { MadeTool } from "./recipe.ts";

/** What a made tool asks before each call: undefined when it may run as it is. */
export type Admission = (made: MadeTool) => ToolFailure | undefined | Promise<ToolFailure | undefined>;

/** The tool of a recipe. Throws `TOOL_INVALID_DEFINITION` for one that cannot be. */
export function toolOf(made: MadeTool, workshop: Workshop, admit: Admission): AnyTool {
  const { name, version, description, output, example, safety, labels } = made;
  const run = handlerOf(made, workshop);
  return defineTool(
    {
      name,
      version: `${version}.0.0`,
      description,
      input: schemaOf(made.arguments),
      ...(output !== undefined && { output: schemaOf(output) }),
      safety,
      labels,
      type: "dynamic",
      ...(example !== undefined && { examples: [{ arguments: example }] }),
      available: () => missing(made, workshop.tools) ?? true,
      async execute(input: unknown, context: ToolContext) {
        const refusal = await admit(made);
        if (refusal !== undefined) return refusal;
        const answer = await run(input, context);
        const foreign = context.principal?.id !== made.by;
        // Somebody else's code: what it says is theirs.
        const care = foreign ? { labels: { integrity: "untrusted" as const, source: name } } : {};
        // A value that is not there is checked, too, where there is something to check it by.
        return answer.ok
          ? result({ value: answer.value ?? null, ...care })
          : result({ failure: answer.failure, ...care });
      },
    },
    { trusted: labels.integrity !== "untrusted" },
  );
}

function missing({ uses }: MadeTool, tools: ToolSource): string | undefined {
  const gone = uses.filter(({ name }) => tools.get(name) === undefined).map(({ name }) => name);
  return gone.length === 0 ? undefined : `it calls ${gone.join(" and ")}, which is not there`;
}
