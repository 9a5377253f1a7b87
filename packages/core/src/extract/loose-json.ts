import { parseAt } from "../json/parse.ts";
import { Input, readAll } from "./input.ts";
import { isBlank, readPythonValue } from "./read-python.ts";

/** The object or array that a text spells in Python's or in broken JSON's way; undefined if it spells none. */
export function looseJson(text: string): unknown {
  const strict = parse(text);
  if (strict !== undefined) return strict;
  const input = new Input(text, true);
  const python = readAll(readPythonValue(input, 0, "element", 0));
  if (
    python !== undefined &&
    python !== "cut" &&
    isBlank(text, python.end) &&
    text.charAt(0) === python.json.charAt(0)
  ) {
    return parse(python.json);
  }
  return python === undefined ? tolerant(text) : undefined;
}

/** What the tolerant parser makes of the whole text, if it is all one value. */
function tolerant(text: string): unknown {
  try {
    const parsed = parseAt(text, 0);
    return parsed.complete && isBlank(text, parsed.end) ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
