import { type ToolResult, ToolrigError } from "@toolrig/core";
import { newId } from "@toolrig/core/kit";
import type { DynamicTools, ShelvedTool } from "@toolrig/sandbox";
import { CONFIG_OPTION } from "../config/load-settings.ts";
import { openRig } from "../config/open-rig.ts";
import type { Rig } from "../rig/rig.ts";
import { chooseAction, needed } from "../shell/choose-action.ts";
import { command } from "../shell/command.ts";
import { didYouMean } from "../shell/did-you-mean.ts";
import { EXIT_CODE, exitCodeOf } from "../shell/exit-code.ts";
import { NotFound } from "../shell/not-found.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { eventPrinter } from "../terminal/event-printer.ts";
import { noteFailure } from "../terminal/note-failure.ts";
import { jsonText, note, print, printJson, showsProgress } from "../terminal/output.ts";
import { redactedFact, redactedText } from "../terminal/redaction.ts";
import { printTable, type TableRow } from "../terminal/table.ts";
import { answerHere } from "./approvals/answer-here.ts";
import { type RecipeValues, recipeFrom } from "./tool/recipe.ts";

interface Action {
  rig: Rig;
  dynamic: DynamicTools;
  /** NAME or FILE. */
  target: string | undefined;
  args: string | undefined;
  values: RecipeValues & { readonly as?: string; readonly json?: boolean };
}

const ACTIONS = { new: make, list, show, remove, test };
const HEAD = ["NAME", "VERSION", "STATUS", "SAFETY", "FOR", "HASH", ""];

export const tool = command({
  name: "tool",
  positionals: ["new|list|show|remove|test", "[NAME|FILE]", "[ARGUMENTS]"],
  options: {
    ...CONFIG_OPTION,
    handler: {
      type: "string",
      value: "FILE",
      describe: "new: the body of its function, in TypeScript; - is stdin",
    },
    description: { type: "string", value: "TEXT", describe: "new: what it does, and when to use it" },
    args: { type: "string", value: "LIST", describe: 'new: its arguments: "title:string,limit:integer?"' },
    uses: { type: "string", value: "LIST", describe: "new: names of the tools that it may call" },
    example: { type: "string", value: "JSON", describe: "new: arguments of a call that is made at once" },
    as: { type: "string", value: "NAME", describe: "new, test: on whose behalf (default: nobody's)" },
  },
  details: [
    "The config has to say dynamicTools: true, and a store keeps them. new takes a FILE with the arguments of new_tool as",
    "JSON (- is stdin), or a NAME with --handler and the other options; it passes the same stages as when a model calls it.",
    "test calls a tool with ARGUMENTS, or with the example that it was made with. remove also removes what somebody else",
    "made and what is quarantined. Piped, list prints a line of tab-separated fields each: name, version, status, safety,",
    "for whom, hash, reason. Exit codes: 0, 2, 12 where there is no such tool, 14 for one that is quarantined, and those of a call.",
  ].join("\n"),
  examples: [
    "toolrig tool new count_words --handler count.ts --args text:string \\",
    `    --description "Count words" --example '{"text": "one two"}'`,
    "toolrig tool list",
    "toolrig tool test count_words",
  ],

  async run({ values, positionals: [name, target, args] }) {
    const act = chooseAction("tool", name, ACTIONS);
    const rig = await openRig(values.config);
    try {
      const { dynamic } = rig;
      if (dynamic === undefined)
        throw new ToolrigError(
          "OPTION_INVALID",
          "Dynamic tools are off: set dynamicTools: true in the config.",
        );
      await dynamic.ready;
      if (showsProgress(values.verbose)) rig.events.on(eventPrinter());
      return await act({ rig, dynamic, target, args, values });
    } finally {
      await rig.close();
    }
  },
});

async function make({ rig, target, values }: Action): Promise<number> {
  const recipe = await recipeFrom(needed(target, "tool new", "a NAME with --handler, or a FILE"), values);
  const result = await call(rig, "new_tool", recipe, values.as);
  return told(result, values.json, () => {
    const { name, version, sideEffects, types, example, hash } = result.value as Record<string, unknown>;
    print(`${name} ${version}\t${sideEffects}\t${hash}`);
    if (example !== undefined)
      note(`The example returned ${jsonText((example as { returned: unknown }).returned)}.`, "dim");
    if (types !== undefined) note(`Types: ${types}.`, "dim");
  });
}

async function list({ dynamic, values }: Action): Promise<number> {
  const all = await dynamic.list();
  if (values.json === true) printJson(redactedFact(all));
  else
    printTable(HEAD, all, cells, {
      toneOf: ({ status }) => (status === "ready" ? "plain" : "warn"),
      spare: ["HASH", "FOR"],
    });
  if (all.length === 0) note("No tools were made.", "dim");
  return 0;
}

function cells({ name, status, reason = "", made }: ShelvedTool): TableRow {
  const safety = made?.safety.sideEffects ?? "-";
  const version = made === undefined ? "-" : String(made.version);
  return [name, version, status, safety, made?.by ?? "-", made?.hash.slice(0, 12) ?? "-", reason];
}

async function show({ dynamic, target, values }: Action): Promise<number> {
  const found = await named(dynamic, needed(target, "tool show", "a NAME"));
  const { made, status, reason } = found;
  if (values.json === true) printJson(redactedFact(found));
  if (made === undefined) {
    note(`${found.name} is quarantined: ${reason}.`, "bad");
    return EXIT_CODE.unavailable;
  }
  if (values.json === true) return 0;
  const { version, by = "nobody", safety, labels, hash } = made;
  const state = reason === undefined ? status : `${status}: ${reason}`;
  note(`version ${version}, made for ${by}, ${safety.sideEffects}, ${state}`, "dim");
  if (labels.integrity === "untrusted") note(`its words are untrusted: ${labels.source}`, "warn");
  note(`sha256 ${hash}`, "dim");
  print(redactedText((await dynamic.source(found.name)) ?? "").trimEnd());
  return 0;
}

async function remove({ dynamic, target, values }: Action): Promise<number> {
  const { name } = await named(dynamic, needed(target, "tool remove", "a NAME"));
  await dynamic.remove(name);
  if (values.json === true) printJson({ name, removed: true });
  else note(`${name} is removed.`);
  return 0;
}

async function test({ rig, dynamic, target, args, values }: Action): Promise<number> {
  const { name, made } = await named(dynamic, needed(target, "tool test", "a NAME"));
  const given = args ?? made?.example;
  if (made !== undefined && given === undefined)
    throw new ToolrigError("OPTION_INVALID", `${name} was made without an example: give ARGUMENTS.`);
  const result = await call(rig, name, given, values.as);
  return told(result, values.json, () => {
    for (const part of result.content) if (part.type === "text") print(part.text);
  });
}

async function named(dynamic: DynamicTools, name: string): Promise<ShelvedTool> {
  const all = await dynamic.list();
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = all.map((each) => each.name);
  throw new NotFound(`No tool called "${name}" was made.${didYouMean(name, names)}`);
}

function call(rig: Rig, name: string, args: unknown, as: string | undefined): Promise<ToolResult> {
  answerHere(rig);
  return rig.call(
    { id: newId("call"), name, arguments: args },
    { source: "cli", signal: cancelOnSignal(), ...(as !== undefined && { principal: { id: as } }) },
  );
}

function told(result: ToolResult, json: boolean | undefined, show: () => void): number {
  if (json === true) printJson(result);
  else if (result.failure === undefined) show();
  else noteFailure(result.failure);
  return exitCodeOf(result);
}
