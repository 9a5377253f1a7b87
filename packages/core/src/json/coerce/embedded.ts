/** The object or array that a string holds as JSON; undefined when it holds none. */
export function embedded(text: string, wanted: "object" | "array"): object | undefined {
  let value: unknown = text;
  for (let layers = 0; typeof value === "string" && layers < MAX_LAYERS; layers++) value = parse(value);
  if (typeof value !== "object" || value === null) return undefined;
  return Array.isArray(value) === (wanted === "array") ? value : undefined;
}

/** Models escape a document twice now and then, hardly ever more often. */
const MAX_LAYERS = 3;

const HUGE_EXPONENT = /\d[eE]\+?\d{3}/;

function parse(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text, HUGE_EXPONENT.test(text) ? refuseInfinity : undefined);
  } catch {
    return undefined;
  }
}

function refuseInfinity(_key: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError("not a JSON number");
  return value;
}
