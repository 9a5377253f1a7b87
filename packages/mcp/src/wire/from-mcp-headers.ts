/** Parameters that a server of the 2026 era wants repeated as headers carry this keyword with the header's name. */
export const HEADER_KEYWORD = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const KINDS: readonly unknown[] = ["string", "integer", "boolean"];

/**
 * What is wrong with the headers that a tool's schema asks for: a tool with such a schema must not be used over HTTP. Undefined when
 * nothing is. Only for schemas whose depth is known to be bounded.
 */
export function headerFault(schema: unknown): string | undefined {
  return faultAt(schema, "", true, new Set());
}

function faultAt(part: unknown, at: string, isReachable: boolean, taken: Set<string>): string | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  if (!Array.isArray(part) && Object.hasOwn(part, HEADER_KEYWORD)) {
    const fault = faultOf(part as Record<string, unknown>, at !== "" && isReachable, taken);
    if (fault !== undefined) return `${HEADER_KEYWORD} at ${at || "the root"} ${fault}`;
  }
  for (const [key, value] of Object.entries(part)) {
    if (key === HEADER_KEYWORD || DATA.has(key)) continue;
    const fault =
      key === "properties" && !Array.isArray(part)
        ? faultInProperties(value, at, isReachable, taken)
        : faultAt(value, `${at}/${key}`, false, taken);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Keywords whose values are no schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required"]);

function faultInProperties(properties: unknown, at: string, isReachable: boolean, taken: Set<string>) {
  for (const [name, schema] of Object.entries(properties ?? {})) {
    const fault = faultAt(schema, `${at}/${name}`, isReachable, taken);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(
  { [HEADER_KEYWORD]: name, type }: Record<string, unknown>,
  isReachable: boolean,
  taken: Set<string>,
) {
  if (!isReachable) return "is not on a property of the arguments";
  if (typeof name !== "string" || !TOKEN.test(name)) return "is no name of a header";
  if (!KINDS.includes(type)) return "is on a value that is no string, integer or boolean";
  if (taken.has(name.toLowerCase())) return `names ${name} a second time`;
  taken.add(name.toLowerCase());
  return undefined;
}
