/** What a value comes to, as far as it was looked at. */
export interface Measure {
  /** About as many characters as its JSON has. */
  size: number;
  depth: number;
}

/**
 * Measures parsed JSON without calling itself, so that no nesting can exhaust the stack. Stops at the first limit that is passed:
 * the time is bounded by the limits, whatever the value is.
 */
export function measure(value: unknown, most: { size: number; depth: number }): Measure {
  let size = 0;
  let deepest = 0;
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: part, depth } = next;
    deepest = Math.max(deepest, depth);
    if (typeof part === "string") size += part.length + 3;
    else if (typeof part !== "object" || part === null) size += 6;
    else {
      size += 2;
      if (depth > most.depth) break;
      for (const key in part) {
        if (!Object.hasOwn(part, key)) continue;
        if (!Array.isArray(part)) size += key.length + 4;
        if (size > most.size) return { size, depth: deepest };
        open.push({ value: (part as Record<string, unknown>)[key], depth: depth + 1 });
      }
    }
    if (size > most.size) break;
  }
  return { size, depth: deepest };
}
