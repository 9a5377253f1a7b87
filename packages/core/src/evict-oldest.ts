/** Keeps a map within its limit: what was put in first goes first. Undefined, or what went. */
export function evictOldest<Key, Value>(map: Map<Key, Value>, limit: number): [Key, Value] | undefined {
  if (map.size <= limit) return undefined;
  const [oldest] = map;
  if (oldest !== undefined) map.delete(oldest[0]);
  return oldest;
}
