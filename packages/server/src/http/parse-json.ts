import { isUtf8 } from "node:buffer";
import { parseStrict } from "@toolrig/core/kit";
import { RequestProblem } from "./problem.ts";

/** Nothing that people send is nested more deeply, and code that works on it may recurse. */
const LIMITS = { subject: "The body", maxDepth: 64, withoutProto: true };

/** The strict JSON of a body. Throws a problem for bytes that are not UTF-8 and for text that `parseStrict` refuses. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new RequestProblem("REQUEST_MALFORMED", "The body is not UTF-8.");
  const whole = bytes.toString("utf8");
  const text = whole.charCodeAt(0) === 0xfeff ? whole.slice(1) : whole;
  const parsed = parseStrict(text, LIMITS);
  if (parsed.ok) return parsed.value;
  const isMalformed = parsed.problem === "syntax" || parsed.problem === "repeated-name";
  throw new RequestProblem(isMalformed ? "REQUEST_MALFORMED" : "REQUEST_INVALID", parsed.message);
}
