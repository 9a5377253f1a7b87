/**
 * Identifiers that are unique across processes and sort by time of birth within one: a random part chosen once a
 * process, and a counter. Cheaper than a random id a call.
 */
const processPart = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) =>
  byte.toString(16).padStart(2, "0"),
).join("");

let counter = 0;

export function newId(prefix: string): string {
  counter += 1;
  return `${prefix}_${processPart}${counter.toString(36).padStart(8, "0")}`;
}
