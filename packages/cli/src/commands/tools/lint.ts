import type { AnyTool, ToolDefinition, ToolSource } from "@toolrig/core";
import { definitionIn, UNDECLARED } from "@toolrig/core/kit";
import { projectAnthropic, projectGemini, projectOpenAI, type VendorTool } from "@toolrig/interop";
import type { Finding } from "./finding.ts";
import { likenessOf } from "./likeness.ts";
import { wordingOf } from "./wording.ts";

/** Characters of a definition, and of all of them, beyond which a model reads past things. */
const LARGE = 4_000;
const LARGE_TOGETHER = 60_000;

const VENDORS: Readonly<Record<string, (definition: ToolDefinition) => VendorTool>> = {
  "openai strict": (definition) => projectOpenAI(definition, { strict: true }),
  anthropic: projectAnthropic,
  gemini: projectGemini,
};

/**
 * Tools of Toolrig that a project cannot change: the name of `new_tool` is fixed, and `run_code` describes all other tools. Their
 * names and sizes are not the project's to mend; everything else of them is linted.
 */
const FIXED: ReadonlySet<string> = new Set(["new_tool", "run_code"]);
const NOT_MENDABLE: ReadonlySet<Finding["rule"]> = new Set(["vague-name", "large-definition"]);

/** What a model will stumble over in these tools, and what is lost on the way to a vendor. By tool, then by rule. */
export function lint(source: ToolSource): Finding[] {
  const tools = newest(source.tools());
  const definitions = tools.map((tool) => definitionIn(source, tool));
  const findings = tools.flatMap((tool, index) => {
    const definition = definitions[index] ?? tool.definition;
    return [...wordingOf(definition), ...safetyOf(tool), ...sizeOf(definition), ...lossesOf(definition)];
  });
  const mendable = findings.filter(({ tool, rule }) => !FIXED.has(tool ?? "") || !NOT_MENDABLE.has(rule));
  return [...mendable, ...likenessOf(definitions), ...sizeOfAll(definitions)].sort((one, other) =>
    (one.tool ?? "\uffff") < (other.tool ?? "\uffff") ? -1 : one.tool === other.tool ? 0 : 1,
  );
}

/** A model is told of one version of a tool. */
function newest(tools: readonly AnyTool[]): AnyTool[] {
  return tools.filter(({ name }, index) => tools.findIndex((each) => each.name === name) === index);
}

function safetyOf({ name: tool, safety }: AnyTool): Finding[] {
  if (safety !== UNDECLARED) return [];
  const message =
    "It declares no safety, so it counts as external and not idempotent: never retried, and asked about where the policy asks.";
  return [{ tool, rule: "undeclared-safety", level: "warning", message }];
}

function sizeOf(definition: ToolDefinition): Finding[] {
  const size = charactersOf(definition);
  if (size <= LARGE) return [];
  const message = `Its definition has ${size} characters. Shorten it, or split the tool.`;
  return [{ tool: definition.name, rule: "large-definition", level: "warning", message }];
}

function sizeOfAll(definitions: readonly ToolDefinition[]): Finding[] {
  const size = definitions.reduce((sum, each) => sum + charactersOf(each), 0);
  const message =
    definitions.length === 1
      ? `The definition has ${size} characters.`
      : `All ${definitions.length} definitions together have ${size} characters.`;
  const isLarge = size > LARGE_TOGETHER;
  const advice = `${message} Offer fewer at once: tools can be selected for each task.`;
  return [
    { rule: "large-definition", level: isLarge ? "warning" : "note", message: isLarge ? advice : message },
  ];
}

function charactersOf({ name, description, inputSchema }: ToolDefinition): number {
  return JSON.stringify({ name, description, inputSchema }).length;
}

function lossesOf(definition: ToolDefinition): Finding[] {
  return Object.entries(VENDORS).flatMap(([vendor, project]) =>
    project(definition).lost.map(({ path, what, instead }): Finding => {
      const message = `${what} cannot be said: ${instead}.`;
      return { tool: definition.name, rule: "lost-for-vendor", level: "note", path, vendor, message };
    }),
  );
}
