import { isDeepStrictEqual } from "node:util";
import {
  type AnyTool,
  type DataLabels,
  type InformationFlow,
  result,
  type ToolContext,
  tool,
  validation,
} from "@toolrig/core";
import { defined, forCaller, waitsWithin } from "@toolrig/core/kit";
import { type Making, type Stopped, stopped, type Tried, tryRecipe, type Waits } from "./make.ts";
import { brief, isSame, type MadeTool, type Recipe, sealed } from "./recipe.ts";
import { recipeSchema } from "./recipe-schema.ts";
import type { Shelf, ShelvedTool } from "./shelf.ts";
import { sourceText } from "./source-text.ts";
import { usesOf } from "./uses.ts";

/** How much there may be. */
interface Bounds {
  maxTools: number;
  maxToolsPerPrincipal: number;
  maxSource: number;
}

export interface Bench extends Omit<Making, "by"> {
  shelf: Shelf;
  bounds: Bounds;
  flow: Pick<InformationFlow, "labels"> | undefined;
}

const NAME = { type: "string", description: "The name of a tool that was made with new_tool." } as const;
const BY_NAME = {
  type: "object",
  properties: { name: NAME },
  required: ["name"],
  additionalProperties: false,
} as const;

/** `new_tool`, `unregister_tool`, `list_dynamic_tools` and `show_tool_source`. */
export function builderTools(bench: Bench): readonly AnyTool[] {
  return [newTool(bench), unregisterTool(bench), listTools(bench), showSource(bench)];
}

/** The example that it calls is its caller's: it may call what whoever makes the tool may. */
function newTool(bench: Bench): AnyTool {
  const made = tool({
    name: "new_tool",
    description: [
      "Make a tool of your own. The handler is the body of an async TypeScript function: it has `input` (the arguments) and",
      "`tools`, on which the tools named in capabilities are async functions, as in `await tools.read_file({ path })`. It returns",
      "JSON. There are no modules, no files and no network but through those tools. The example is called at once; if it works,",
      "the tool can be called from the next turn on and is kept. The same name again makes a new version of your own tool.",
    ].join(" "),
    input: recipeSchema(bench.bounds.maxSource),
    safety: { sideEffects: "write", idempotent: false },
    // Started again, its example goes on where it waited, and what was made already is found.
    reconcile: () => ({ outcome: "never-ran" }),
    timeout: "5m",
    concurrency: 4,
    async execute(given, context) {
      const recipe = { capabilities: [], ...given } as Recipe;
      const made = await make(recipe, bench, context);
      if (made.ok) return report(made);
      return "waiting" in made ? waitsWithin(made.waiting) : refusal(made);
    },
  });
  return forCaller(made);
}

interface Made {
  ok: true;
  tool: MadeTool;
  tried?: Tried;
}

async function make(recipe: Recipe, bench: Bench, context: ToolContext): Promise<Made | Stopped | Waits> {
  const by = context.principal?.id;
  // Before anything of it runs: what the example reads came after the source was written.
  const labels = labelsOf(bench.flow, context.runId);
  const before = await roomFor(recipe, by, bench);
  if ("stage" in before) return before;
  const made = sameAs(recipe, before.present, bench);
  if (made !== undefined) return { ok: true, tool: made };
  const tried = await tryRecipe(recipe, { ...bench, by }, context);
  if (!tried.ok) return tried;
  return bench.shelf.alone(async () => {
    const room = await roomFor(recipe, by, bench);
    if ("stage" in room) return room;
    const next = sealed({
      ...recipe,
      ...{ type: "dynamic", version: (room.present?.made?.version ?? 0) + 1 },
      ...{ uses: tried.uses, safety: tried.safety, labels },
      ...defined({ by }),
    });
    const shelved = await bench.shelf.put(next);
    if (shelved.status === "ready") return { ok: true, tool: next, tried };
    await bench.shelf.remove(next.name);
    return stopped("keep", `It could not be registered: ${shelved.reason}. Choose another name.`);
  });
}

/** The tool that is there, if it is what would be made: of the same recipe, with tools that are what they were. */
function sameAs(recipe: Recipe, present: ShelvedTool | undefined, { workshop }: Bench): MadeTool | undefined {
  const made = present?.status === "ready" ? present.made : undefined;
  if (made === undefined || !isSame(made, recipe)) return undefined;
  const used = usesOf(recipe.capabilities, workshop.tools);
  const { uses, safety } = made;
  return used.ok && isDeepStrictEqual({ uses: used.uses, safety: used.safety }, { uses, safety })
    ? made
    : undefined;
}

/** Whether the name is free or the maker's own, and whether there is room for one more. */
async function roomFor(
  { name }: Recipe,
  by: string | undefined,
  { shelf, bounds }: Bench,
): Promise<{ present: ShelvedTool | undefined } | Stopped> {
  const all = await shelf.list();
  const present = all.find((each) => each.name === name);
  if (present?.status === "quarantined")
    return stopped("name", `${name} is quarantined (${present.reason}). Choose another name.`);
  if (present?.status === "disabled")
    return stopped("name", `${name} was switched off. Choose another name.`);
  if (present !== undefined && present.made?.by !== by)
    return stopped("name", `${name} was made by somebody else. Choose another name.`);
  if (present !== undefined) return { present };
  if (all.length >= bounds.maxTools)
    return stopped("keep", `There are ${all.length} made tools, and no more are kept. Unregister one first.`);
  const own = all.filter(({ made }) => made?.by === by).length;
  if (own >= bounds.maxToolsPerPrincipal)
    return stopped(
      "keep",
      `You have made ${own} tools, and no more are kept. Unregister one of yours first.`,
    );
  return { present };
}

/** Of a tool whose source was written by a run that has read this. What nobody followed may have been anything. */
function labelsOf(flow: Bench["flow"], runId: string | undefined): DataLabels {
  if (flow === undefined) return { integrity: "untrusted", source: "nobody knows what its maker had read" };
  const { untrusted, private: secret } = flow.labels(runId ?? "");
  return {
    ...(untrusted.length > 0 && { integrity: "untrusted" }),
    ...(secret.length > 0 && { confidentiality: "private" }),
    ...(untrusted.length + secret.length > 0 && {
      source: [...new Set([...untrusted, ...secret])].slice(-3).join(", "),
    }),
  };
}

function report({ tool: made, tried }: Made) {
  const { name, version, hash, safety, capabilities } = made;
  const types = tried?.types;
  return {
    ...{ name, version, hash, sideEffects: safety.sideEffects, capabilities },
    ...(tried === undefined && { note: "There was this very tool already." }),
    ...(types !== undefined && {
      types: types.status === "skipped" ? `not checked: ${types.reason}` : "checked",
    }),
    ...(tried?.example !== undefined && {
      example: { arguments: made.example, returned: tried.example.value },
    }),
  };
}

function refusal({ stage, problems }: Stopped) {
  const lines = problems.map(({ message, line, hint }) => {
    const place = line === undefined ? "" : `line ${line} of the handler: `;
    return `${place}${message}${hint === undefined ? "" : ` ${hint}`}`;
  });
  const text = lines.length === 1 ? ` ${lines[0]}` : `\n${lines.map((line) => `- ${line}`).join("\n")}`;
  return validation(`No tool was made: stage "${stage}" did not pass.${text}`, { stage, problems });
}

function unregisterTool({ shelf }: Bench): AnyTool {
  return tool({
    name: "unregister_tool",
    description: "Remove a tool that you made with new_tool.",
    input: BY_NAME,
    safety: { sideEffects: "write", idempotent: true },
    execute: ({ name }, { principal }) =>
      shelf.alone(async () => {
        const present = await shelf.get(name);
        if (present === undefined) return validation(`No made tool is called "${name}".`);
        if (present.made?.by !== principal?.id || present.status === "quarantined")
          return validation(`${name} is not yours to remove.`);
        await shelf.remove(name);
        return `${name} is removed.`;
      }),
  });
}

function listTools({ shelf }: Bench): AnyTool {
  return tool({
    name: "list_dynamic_tools",
    description: "List the tools that were made with new_tool.",
    input: { type: "object", properties: {}, additionalProperties: false },
    safety: { sideEffects: "read", idempotent: true },
    async execute() {
      const all = await shelf.list();
      const value = all.map(({ name, status, reason, made }) => ({
        ...{ name, status, ...defined({ reason }) },
        ...(made !== undefined && {
          version: made.version,
          hash: brief(made.hash),
          description: made.description,
        }),
      }));
      return result({ value, labels: careOf(all) });
    },
  });
}

function showSource({ shelf }: Bench): AnyTool {
  return tool({
    name: "show_tool_source",
    description: "Show the source of a tool that was made with new_tool.",
    input: BY_NAME,
    safety: { sideEffects: "read", idempotent: true },
    async execute({ name }) {
      const found = await shelf.get(name);
      if (found?.made === undefined)
        return validation(
          found === undefined
            ? `No made tool is called "${name}".`
            : `${name} is quarantined: ${found.reason}.`,
        );
      return result({
        content: sourceText(found.made),
        value: sourceText(found.made),
        labels: careOf([found]),
      });
    },
  });
}

/** What is told of tools is no better than the runs that wrote it. */
function careOf(all: readonly ShelvedTool[]): DataLabels {
  const labels = all.map(({ made }) => made?.labels);
  return {
    ...(labels.some((each) => each?.integrity === "untrusted") && { integrity: "untrusted" }),
    ...(labels.some((each) => each?.confidentiality === "private") && { confidentiality: "private" }),
  };
}
