import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { parseJson, readJsonFile, readStdin } from "../../terminal/input.ts";

/** What `toolrig tool new` was given besides NAME|FILE. */
export interface RecipeValues {
  readonly description?: string;
  readonly args?: string;
  readonly handler?: string;
  readonly uses?: string;
  readonly example?: string;
}

/** The arguments of `new_tool`, from a JSON file or from options. The tool itself checks them. */
export async function recipeFrom(target: string, values: RecipeValues): Promise<unknown> {
  const { description, args, handler, uses, example } = values;
  if (handler !== undefined) {
    return {
      name: target,
      description: description ?? missing("--description"),
      arguments: args === undefined ? [] : listOf(args).map(fieldFrom),
      handler: (await readHandler(handler)).trimEnd(),
      ...(uses !== undefined && { capabilities: listOf(uses) }),
      ...(example !== undefined && { example: parseJson(example, "--example") }),
    };
  }
  const stray = Object.entries({ description, args, uses, example }).find(([, value]) => value !== undefined);
  if (stray !== undefined)
    throw invalid(
      `--${stray[0]} goes with --handler FILE, the body of the tool; a JSON file says it itself.`,
    );
  return target === "-"
    ? parseJson(await readStdin(), "Standard input")
    : readJsonFile(resolve(target), "FILE");
}

/** `limit:integer?` is an optional integer. */
function fieldFrom(text: string): { name: string; type: string; optional?: true } {
  const [, name, type, optional] = /^(\w+):([a-z]+(?:\[\])?)(\?)?$/.exec(text) ?? [];
  if (name === undefined || type === undefined)
    throw invalid(`--args must be a list such as "title:string,limit:integer?"; got "${text}".`);
  return { name, type, ...(optional !== undefined && { optional: true }) };
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

async function readHandler(file: string): Promise<string> {
  if (file === "-") return readStdin();
  try {
    return await readFile(resolve(file), "utf8");
  } catch (error) {
    throw invalid(`--handler must be a readable file: ${messageOf(error)}.`);
  }
}

function missing(option: string): never {
  throw invalid(`tool new needs ${option} beside --handler.`);
}

function invalid(message: string): ToolrigError {
  return new ToolrigError("OPTION_INVALID", message);
}
