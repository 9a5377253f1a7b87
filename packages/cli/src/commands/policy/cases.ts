import { ToolrigError } from "@toolrig/core";
import type { PolicyCase } from "./verdict.ts";

export interface ExpectedVerdict {
  /** From 1, as people count. */
  row: number;
  name: string;
  call: PolicyCase;
  expect: string;
  /** What must have decided. */
  rule?: string;
}

const VERDICTS = ["allow", "deny", "ask", "refused"];
const FIELDS = ["name", "tool", "args", "principal", "source", "runLabels", "at", "expect", "rule"];

/** The rows of a table of expectations. Throws `OPTION_INVALID`, naming the file and the row. */
export function policyCases(value: unknown, file: string): ExpectedVerdict[] {
  if (!Array.isArray(value))
    throw invalid(`${file} must hold a JSON list of rows such as { "tool": "pay", "expect": "ask" }.`);
  return value.map((row: unknown, index) => caseOf(row, index + 1, `${file}, row ${index + 1}`));
}

function caseOf(value: unknown, row: number, place: string): ExpectedVerdict {
  if (typeof value !== "object" || value === null) throw invalid(`${place} must be an object.`);
  const { name, expect, rule, at, ...call } = value as Record<string, unknown>;
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    throw invalid(`${place} has no field "${unknown}". There is: ${FIELDS.join(", ")}.`);
  if (typeof call.tool !== "string") throw invalid(`${place}: tool must be a name.`);
  if (!VERDICTS.includes(expect as string))
    throw invalid(`${place}: expect must be one of ${VERDICTS.join(", ")}.`);
  const time = at === undefined ? undefined : Date.parse(String(at));
  if (time !== undefined && Number.isNaN(time))
    throw invalid(`${place}: at must be a time such as 2026-01-31T22:00Z.`);
  return {
    row,
    name: typeof name === "string" ? name : `${call.tool} ${JSON.stringify(call.args ?? {})}`,
    // What else is wrong with a call is for the pipeline to say.
    call: { ...(call as unknown as PolicyCase), ...(time !== undefined && { at: time }) },
    expect: expect as string,
    ...(rule !== undefined && { rule: String(rule) }),
  };
}

function invalid(message: string): ToolrigError {
  return new ToolrigError("OPTION_INVALID", message);
}
