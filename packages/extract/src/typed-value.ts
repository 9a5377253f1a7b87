import { looseJson } from "./loose-json.ts";
import { type JsonType, typesOf } from "./tool-index.ts";

export interface TypingRules {
  /** What a parameter of unknown type is: its text, or the JSON value it spells if it spells one. */
  readonly untyped: "string" | "json";
  /** Whether the family puts strings in quotes, which are then not part of the value. */
  readonly quotedStrings?: boolean;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The JSON text of a value that a model wrote as plain text, by what the schema allows there. A value that fits none
 * of the allowed types stays the string it is, for validation to report.
 */
export function typedValue(raw: string, schema: unknown, root: unknown, rules: TypingRules): string {
  const types = typesOf(schema, root);
  const text = raw.trim();
  if (types.size === 0) {
    return (rules.untyped === "json" ? strictJson(text) : undefined) ?? stringValue(raw, rules);
  }
  return (
    nullValue(text, types) ??
    numberValue(text, types) ??
    booleanValue(text, types) ??
    containerValue(text, types) ??
    stringValue(raw, rules)
  );
}

function nullValue(text: string, types: ReadonlySet<JsonType>): string | undefined {
  if (!types.has("null")) return undefined;
  return text === "null" || (text === "None" && !types.has("string")) ? "null" : undefined;
}

function numberValue(text: string, types: ReadonlySet<JsonType>): string | undefined {
  if (!types.has("integer") && !types.has("number")) return undefined;
  if (JSON_NUMBER.test(text)) return text;
  return NUMBER.test(text) && Number.isFinite(Number(text)) ? JSON.stringify(Number(text)) : undefined;
}

function booleanValue(text: string, types: ReadonlySet<JsonType>): string | undefined {
  if (!types.has("boolean")) return undefined;
  const word = text.toLowerCase();
  return word === "true" || word === "false" ? word : undefined;
}

function containerValue(text: string, types: ReadonlySet<JsonType>): string | undefined {
  const opener = text.charAt(0);
  const fits = (opener === "{" && types.has("object")) || (opener === "[" && types.has("array"));
  if (!fits) return undefined;
  return strictJson(text) ?? looseJson(unescaped(text));
}

/** JSON whose quotes were escaped as if it stood inside a string. */
function unescaped(text: string): string {
  if (!/^[[{\s]*\\"/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return typeof value === "string" ? value : text;
  } catch {
    return text.replaceAll('\\"', '"');
  }
}

function strictJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

function stringValue(raw: string, rules: TypingRules): string {
  const text = raw.trim();
  if (rules.quotedStrings === true && text.length > 1 && text.startsWith('"') && text.endsWith('"')) {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "string") return text;
    } catch {
      return JSON.stringify(text.slice(1, -1));
    }
  }
  return JSON.stringify(raw);
}
