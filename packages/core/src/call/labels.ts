/** What is known of data: set on results, and followed by information-flow guards. */
export interface DataLabels {
  /** "untrusted": text from outside that may carry instructions. Default "trusted". */
  integrity?: "trusted" | "untrusted";
  /** "private": data that must not leave unasked. Default "public". */
  confidentiality?: "public" | "private";
  /** Where the data comes from, such as "web" or "mail". */
  source?: string;
}

/** Labels of data that was made of both: the more careful of each. */
export function joinLabels(
  one: DataLabels | undefined,
  other: DataLabels | undefined,
): DataLabels | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const joined: DataLabels = {};
  const integrity = [one.integrity, other.integrity];
  if (integrity.includes("untrusted")) joined.integrity = "untrusted";
  else if (integrity.includes("trusted")) joined.integrity = "trusted";
  const confidentiality = [one.confidentiality, other.confidentiality];
  if (confidentiality.includes("private")) joined.confidentiality = "private";
  else if (confidentiality.includes("public")) joined.confidentiality = "public";
  const sources = new Set([one.source, other.source].flatMap((source) => source?.split(", ") ?? []));
  if (sources.size > 0) joined.source = [...sources].slice(0, 5).join(", ");
  return joined;
}

/** Whether something says what data is: what guards and tools give as labels need not. */
export function isLabels(value: unknown): value is DataLabels {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { integrity, confidentiality, source } = value as Record<string, unknown>;
  if (![undefined, "trusted", "untrusted"].includes(integrity as string | undefined)) return false;
  if (![undefined, "public", "private"].includes(confidentiality as string | undefined)) return false;
  return source === undefined || typeof source === "string";
}

/** Labels as a tool or hook gave them. What cannot be read counts as the more careful of what it could mean. */
export function carefulLabels(given: unknown): DataLabels | undefined {
  if (given === undefined || isLabels(given)) return given;
  return { integrity: "untrusted", confidentiality: "private" };
}
