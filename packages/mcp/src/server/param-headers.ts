import type { AnyTool } from "@toolrig/core";
import { definitionIn, isRecord } from "@toolrig/core/kit";
import { HEADER_KEYWORD, headerFault } from "../wire/from-mcp-headers.ts";
import type { ServedView } from "./view.ts";

/** A parameter that clients since 2026-07-28 repeat as the header `Mcp-Param-<name>`. */
interface Declared {
  readonly path: readonly string[];
  readonly header: string;
}

const declaredBy = new WeakMap<object, readonly Declared[]>();

/**
 * What is wrong with the headers that repeat parameters of a call: one is missing, malformed or says something else than the message. Whoever
 * routes or authorizes by these headers relies on it. Undefined when nothing is.
 */
export function wrongParamHeader(view: ServedView, headers: Headers, body: unknown): string | undefined {
  const { params } = (body ?? {}) as { params?: unknown };
  if (!isRecord(params) || typeof params.name !== "string") return undefined;
  const tool = view.source.get(params.name);
  if (tool === undefined) return undefined;
  for (const { path, header } of declaredOf(view, tool)) {
    const value = path.reduce<unknown>(
      (inner, key) => (isRecord(inner) ? inner[key] : undefined),
      params.arguments,
    );
    const problem = problemWith(headers.get(header), value);
    if (problem !== undefined) return `The header ${header} ${problem}.`;
  }
  return undefined;
}

/** Of a schema whose declarations break a rule nothing is checked: clients do not call such a tool over HTTP. */
function declaredOf(view: ServedView, tool: AnyTool): readonly Declared[] {
  const { inputSchema } = definitionIn(view.source, tool);
  const known = declaredBy.get(inputSchema);
  if (known !== undefined) return known;
  const declared = headerFault(inputSchema) === undefined ? [...declaredIn(inputSchema, [])] : [];
  declaredBy.set(inputSchema, declared);
  return declared;
}

function* declaredIn(schema: unknown, path: readonly string[]): Generator<Declared> {
  if (!isRecord(schema)) return;
  const name = schema[HEADER_KEYWORD];
  if (typeof name === "string") yield { path, header: `Mcp-Param-${name}` };
  for (const [key, inner] of Object.entries(isRecord(schema.properties) ? schema.properties : {}))
    yield* declaredIn(inner, [...path, key]);
}

/** A parameter that is not given needs no header, and no other value than a text, a number or a flag can have one. */
function problemWith(header: string | null, value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  if (header === null) return "is missing";
  const said = decoded(header);
  if (said === undefined) return "is no Base64 of UTF-8";
  const isSame =
    typeof value === "number" ? DECIMAL.test(said) && Number(said) === value : said === String(value);
  return isSame ? undefined : "says something else than the message";
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decoded(header: string): string | undefined {
  const encoded = ENCODED.exec(header)?.[1];
  if (encoded === undefined) return header;
  if (!BASE64.test(encoded)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64"));
  } catch {
    return undefined;
  }
}
