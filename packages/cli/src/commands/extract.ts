import { ToolrigError } from "@toolrig/core";
import { definitionIn } from "@toolrig/core/kit";
import { type Extracted, type ExtractTool, extract as extractCalls } from "@toolrig/extract";
import { CONFIG_OPTION } from "../config/load-settings.ts";
import { withTools } from "../config/open-rig.ts";
import { command } from "../shell/command.ts";
import { readJsonFile, readText } from "../terminal/input.ts";
import { note, paint, print, printJson, printStyled, visible } from "../terminal/output.ts";
import { toolDefinitions } from "./extract/tool-definitions.ts";

/** As much of a text as is searched for a name, and so many names are told. */
const LOOKED_AT = 100_000;
const MAX_NAMED = 20;

export const extract = command({
  name: "extract",
  positionals: ["[FILE|-]"],
  options: {
    ...CONFIG_OPTION,
    family: {
      type: "string",
      value: "NAME",
      describe: "read only this envelope family (default: found by evidence)",
    },
    tools: {
      type: "string",
      value: "FILE",
      describe:
        "JSON list of tool definitions; Toolrig's, MCP's, OpenAI's or Anthropic's shape (default: the config's)",
    },
  },
  details: [
    "Only calls of tools that exist count; everything else is text. Piped, each call is a line of JSON with name,",
    "arguments, family and complete. With --json, { calls, content }, where content is the text without the calls.",
  ].join("\n"),
  examples: [
    "toolrig extract < answer.txt",
    "toolrig extract --tools tools.json --family hermes --json < answer.txt",
  ],

  async run({ values, positionals: [file] }) {
    const tools = await knownTools(values.tools, values.config);
    if (tools.length === 0) {
      throw new ToolrigError(
        "OPTION_INVALID",
        "Only names of known tools are calls, and no tool is known. Give --tools FILE, or configure tools.",
      );
    }
    const family = values.family === undefined ? {} : { family: values.family };
    const text = await readText(file);
    const extracted = extractCalls(text, { tools, ...family });
    if (values.json === true) printJson(extracted);
    else if (process.stdout.isTTY) printStyled(view(extracted));
    else for (const call of extracted.calls) print(line(call));
    if (extracted.calls.length === 0) noteNone(text, tools);
    return 0;
  },
});

/** Says why there is none where the text looks as if there were. */
function noteNone(text: string, tools: readonly ExtractTool[]): void {
  const known = tools.map(({ name }) => name);
  const [, named] = /["']?\bname["']?\s*[:=]\s*["']?([\w.-]+)/.exec(text.slice(0, LOOKED_AT)) ?? [];
  const other = named === undefined || known.includes(named) ? "" : ` "${named}" is not a known tool.`;
  note(`No call of a known tool is in it.${other} Known: ${known.slice(0, MAX_NAMED).join(", ")}.`, "dim");
}

async function knownTools(
  file: string | undefined,
  config: string | undefined,
): Promise<readonly ExtractTool[]> {
  if (file !== undefined) return toolDefinitions(await readJsonFile(file, "--tools"), "--tools");
  return withTools(config, (source) => source.tools().map((tool) => definitionIn(source, tool)));
}

function line({ name, arguments: args, family, complete }: Extracted["calls"][number]): string {
  return JSON.stringify({ name, arguments: args, family, complete });
}

/** Calls in the manner of lines that were taken out of the text. */
function view({ calls, content }: Extracted): string[] {
  const lines = visible(content.trim()).split("\n");
  const text = content.trim() === "" ? [] : lines.map((line) => `  ${line}`);
  const found = calls.map(({ name, arguments: args, family, complete }) => {
    const origin = paint(` (${family}${complete ? "" : ", cut off"})`, "dim");
    return `${paint(`+ ${visible(name)} ${visible(args)}`, complete ? "good" : "warn")}${origin}`;
  });
  const count = calls.length === 1 ? "1 call" : `${calls.length} calls`;
  return [...text, ...found, paint(count, "dim")];
}
