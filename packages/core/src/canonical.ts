/** JSON with keys in order: two values that mean the same give the same text. For valid JSON values only. */
export function canonicalJson(value: unknown): string {
  // What holds no objects, as most arguments, needs nobody to be asked about every part of it.
  return isFlat(value)
    ? JSON.stringify(inOrder(value))
    : JSON.stringify(value, (_key, part) => inOrder(part));
}

function isFlat(value: unknown): boolean {
  if (typeof value !== "object" || value === null || "toJSON" in value) return false;
  for (const key in value) if (typeof (value as Record<string, unknown>)[key] === "object") return false;
  return true;
}

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  if (isSorted(keys)) return value;
  const ordered: Record<string, unknown> = {};
  for (const key of sort(keys)) {
    const part = (value as Record<string, unknown>)[key];
    // Assigned, it would not become a key.
    if (key === "__proto__") Object.defineProperty(ordered, key, { value: part, enumerable: true });
    else ordered[key] = part;
  }
  return ordered;
}

const FEW = 16;

/** As the built-in sort, in place, without what that makes besides: more than the text of a few keys. */
function sort(keys: string[]): string[] {
  if (keys.length > FEW) return keys.sort();
  for (let from = 1; from < keys.length; from++) {
    const key = keys[from] ?? "";
    let at = from;
    for (let before = keys[at - 1]; before !== undefined && key < before; before = keys[at - 1]) {
      keys[at] = before;
      at -= 1;
    }
    keys[at] = key;
  }
  return keys;
}

const MAX_DEPTH = 200;

/** Whether JSON text tells a value apart from others: a map, a class instance or a big integer may all look alike. */
export function isJsonValue(value: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every((each) => isJsonValue(each, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((each) => each === undefined || isJsonValue(each, depth + 1));
}

function isSorted(keys: readonly string[]): boolean {
  let last = "";
  for (const key of keys) {
    if (key < last) return false;
    last = key;
  }
  return true;
}

/**
 * A short hash of text (cyrb53, two 32-bit lanes): tells different arguments apart, is not meant to resist anyone who
 * searches for collisions.
 */
export function hashText(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (high >>> 0).toString(16).padStart(8, "0") + (low >>> 0).toString(16).padStart(8, "0");
}
