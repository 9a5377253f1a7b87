const MASK = "[redacted]";

/**
 * Arguments as somebody sent them back who was shown them without their secrets: what was left as it was shown is what it was.
 * Undefined where they have a mask in a place that had no such secret: nobody means that text.
 */
export function unmasked(given: unknown, shown: unknown, meant: unknown): { args: unknown } | undefined {
  try {
    return { args: restored(given, shown, meant) };
  } catch (error) {
    if (error === MISPLACED) return undefined;
    throw error;
  }
}

const MISPLACED = Symbol("a mask where there was no secret");

function restored(given: unknown, shown: unknown, meant: unknown): unknown {
  if (typeof given === "string") {
    if (!given.includes(MASK)) return given;
    if (given === shown) return meant;
    throw MISPLACED;
  }
  if (typeof given !== "object" || given === null) return given;
  if (Array.isArray(given))
    return given.map((item, index) => restored(item, at(shown, index), at(meant, index)));
  return Object.fromEntries(
    Object.entries(given).map(([key, item]) => [key, restored(item, at(shown, key), at(meant, key))]),
  );
}

function at(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
}
