import { ToolrigError } from "@toolrig/core";
import { type Extracted, type ExtractTool, extract as extractCalls } from "@toolrig/core/extract";
import { definitionIn } from "@toolrig/core/kit";
import { CONFIG_OPTION, withTools } from "../config/open-rig.ts";
import { command } from "../shell/command.ts";
import { readJsonFile, readStdin } from "../terminal/input.ts";
import { paint, print, printJson, printStyled, visible } from "../terminal/output.ts";
import { toolDefinitions } from "./extract/tool-definitions.ts";

export const extract = command({
  name: "extract",
  summary: "Find the tool calls that a model wrote as text on standard input",
  positionals: [],
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

  async run({ values }) {
    const tools = await knownTools(values.tools, values.config);
    if (tools.length === 0) {
      throw new ToolrigError(
        "OPTION_INVALID",
        "Only names of known tools are calls, and no tool is known. Give --tools FILE, or configure tools.",
      );
    }
    const family = values.family === undefined ? {} : { family: values.family };
    const text = await readStdin();
    const extracted = extractCalls(text, { tools, ...family });
    if (values.json === true) printJson(extracted);
    else if (process.stdout.isTTY) printStyled(view(extracted));
    else for (const call of extracted.calls) print(line(call));
    return 0;
  },
});

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
