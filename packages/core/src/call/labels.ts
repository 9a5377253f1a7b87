import { defined } from "../defined.ts";
import { isRecord } from "../is-record.ts";

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

/** A copy of the labels that a guard or tool gave; undefined for a value that is none. */
export function labelsIn(given: unknown): DataLabels | undefined {
  if (!isRecord(given)) return undefined;
  const { integrity, confidentiality, source } = given;
  const own = defined({ integrity, confidentiality, source });
  return isLabels(own) ? own : undefined;
}

function isLabels(value: Record<string, unknown>): value is DataLabels & Record<string, unknown> {
  const { integrity, confidentiality, source } = value;
  if (![undefined, "trusted", "untrusted"].includes(integrity as string | undefined)) return false;
  if (![undefined, "public", "private"].includes(confidentiality as string | undefined)) return false;
  return source === undefined || typeof source === "string";
}

/** Labels as a tool or hook gave them. What cannot be read counts as the more careful of what it could mean. */
export function carefulLabels(given: unknown): DataLabels | undefined {
  if (given === undefined) return undefined;
  return labelsIn(given) ?? { integrity: "untrusted", confidentiality: "private" };
}
