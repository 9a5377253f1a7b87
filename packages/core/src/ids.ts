/**
 * Identifiers that are unique across processes and sort by birth within one: a random part chosen once a process, a dot
 * and a counter. The dot makes all ids of a process share a first token where ids are subjects; made so, an id costs less
 * than a random one.
 */
const processPart = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) =>
  byte.toString(16).padStart(2, "0"),
).join("");

let counter = 0;

export function newId(prefix: string): string {
  counter += 1;
  return `${prefix}_${processPart}.${counter.toString(36).padStart(8, "0")}`;
}
