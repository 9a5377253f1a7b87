import { ToolrigError } from "@toolrig/core";
import { check, checksFor, defined, type PolicyCase, type PolicyVerdict } from "@toolrig/core/kit";

export interface ExpectedVerdict {
  /** From 1, as people count. */
  row: number;
  name: string;
  call: PolicyCase;
  expect: PolicyVerdict["verdict"];
  /** What must have decided. */
  rule?: string;
}

const VERDICTS: readonly PolicyVerdict["verdict"][] = ["allow", "deny", "ask", "refused"];
const FIELDS = ["name", "tool", "args", "principal", "source", "runLabels", "at", "expect", "rule"];

/** The rows of a table of expectations. Throws `OPTION_INVALID`, naming the file and the row. */
export function policyCases(value: unknown, file: string): ExpectedVerdict[] {
  if (!Array.isArray(value)) {
    const message = `${file} must hold a JSON list of rows such as { "tool": "pay", "expect": "ask" }.`;
    throw new ToolrigError("OPTION_INVALID", message);
  }
  return value.map((row: unknown, index) => caseOf(row, index + 1, `${file}, row ${index + 1}`));
}

function caseOf(value: unknown, row: number, place: string): ExpectedVerdict {
  if (typeof value !== "object" || value === null) throw check.invalid(place, "an object", value);
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    const message = `${place} has no field "${unknown}". There is: ${FIELDS.join(", ")}.`;
    throw new ToolrigError("OPTION_INVALID", message);
  }
  const { invalid } = checksFor({ where: `${place}: ` });
  const { name, expect, rule, at, ...call } = value as Record<string, unknown>;
  if (typeof call.tool !== "string") throw invalid("tool", "a name", call.tool);
  if (!isVerdict(expect)) throw invalid("expect", `one of ${VERDICTS.join(", ")}`, expect);
  const time = at === undefined ? undefined : Date.parse(String(at));
  if (Number.isNaN(time)) throw invalid("at", "a time such as 2026-01-31T22:00Z", at);
  return {
    row,
    name: typeof name === "string" ? name : `${call.tool} ${JSON.stringify(call.args ?? {})}`,
    // What else is wrong with a call is for the pipeline to say.
    call: { ...(call as unknown as PolicyCase), ...defined({ at: time }) },
    expect,
    ...(rule !== undefined && { rule: String(rule) }),
  };
}

function isVerdict(value: unknown): value is PolicyVerdict["verdict"] {
  return VERDICTS.some((verdict) => verdict === value);
}
