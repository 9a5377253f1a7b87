import { parseAt } from "@toolrig/json/kit";
import { Input, readAll } from "./input.ts";
import { isBlank, readPythonValue } from "./read-python.ts";

/**
 * The object or array that a text spells in Python's or in broken JSON's way, as JSON; undefined if it spells none. Numbers
 * keep their characters.
 */
export function looseJson(text: string): string | undefined {
  if (isDocument(text)) return text;
  const input = new Input(text, true);
  const python = readAll(readPythonValue(input, 0, "element", 0));
  if (
    python !== undefined &&
    python !== "cut" &&
    isBlank(text, python.end) &&
    text.charAt(0) === python.json.charAt(0)
  ) {
    return isDocument(python.json) ? python.json : undefined;
  }
  return python === undefined ? tolerant(text) : undefined;
}

/** What the tolerant parser makes of the whole text, if it is all one value. What a number cannot keep is text. */
function tolerant(text: string): string | undefined {
  try {
    const parsed = parseAt(text, 0, { schema: {} });
    return parsed.complete && isBlank(text, parsed.end) ? JSON.stringify(parsed.value) : undefined;
  } catch {
    return undefined;
  }
}

function isDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
