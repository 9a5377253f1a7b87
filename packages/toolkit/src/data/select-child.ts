/** Runs in a process of its own: parses the inherited file and selects from it, by JSON Pointer or JSONPath. */
import { fstatSync, readSync } from "node:fs";
import { JSONPathEnvironment, JSONPointer, type JSONValue } from "json-p3";
import { HELD, Refused, serveOne } from "./child-io.ts";

export interface SelectRequest {
  pointer?: string;
  query?: string;
  /** Values that are passed by. */
  skip: number;
  limit: number;
  characters: number;
}

export interface Selected {
  /** JSON Pointer. */
  pointer: string;
  value: unknown;
}

export interface SelectAnswer {
  matches: Selected[];
  more: boolean;
}

serveOne<SelectRequest, SelectAnswer>(({ pointer, query, ...page }) => {
  const document = parse();
  try {
    if (query === undefined) return { matches: [at(pointer ?? "", document, page.characters)], more: false };
    return select(query, document, page);
  } catch (error) {
    throw error instanceof Refused
      ? error
      : new Refused(error instanceof Error ? error.message : String(error));
  }
});

function parse(): JSONValue {
  const bytes = Buffer.alloc(fstatSync(HELD).size);
  let filled = 0;
  for (let read = -1; read !== 0 && filled < bytes.length; filled += read)
    read = readSync(HELD, bytes, filled, bytes.length - filled, filled);
  try {
    return JSON.parse(bytes.toString("utf8", 0, filled).replace(/^\ufeff/, "")) as JSONValue;
  } catch (error) {
    throw new Refused(`It is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function at(pointer: string, document: JSONValue, characters: number): Selected {
  const place = new JSONPointer(pointer);
  if (!place.exists(document)) throw new Refused(`There is nothing at ${JSON.stringify(pointer)}.`);
  const value = place.resolve(document);
  const length = JSON.stringify(value).length;
  if (length > characters)
    throw new Refused(
      `What is there has ${length} characters, and at most ${characters} are given. ${outline(value)} Ask for a part of it.`,
    );
  return { pointer, value };
}

function outline(value: unknown): string {
  if (Array.isArray(value)) return `It is a list of ${value.length}.`;
  if (typeof value !== "object" || value === null) return `It is a ${typeof value}.`;
  const keys = Object.keys(value);
  return `It is an object with ${keys.length} keys: ${keys.slice(0, 20).join(", ").slice(0, 500)}.`;
}

type Asked = Pick<SelectRequest, "skip" | "limit" | "characters">;

function select(query: string, document: JSONValue, { skip, limit, characters }: Asked): SelectAnswer {
  const answer: SelectAnswer = { matches: [], more: false };
  let room = characters;
  let passed = 0;
  for (const node of new JSONPathEnvironment().lazyQuery(query, document)) {
    if (passed++ < skip) continue;
    room -= JSON.stringify(node.value).length;
    answer.more = answer.matches.length === limit || room < 0;
    if (answer.more) break;
    answer.matches.push({ pointer: node.toPointer().toString(), value: node.value });
  }
  return answer;
}
