import type { Arrival } from "./arrival.ts";
import { RequestProblem } from "./problem.ts";

/** How deep JSON may be: nothing that people send is deeper, and what works on it may recurse. */
const MAX_DEPTH = 64;

/**
 * The body of a request as JSON; undefined where there is none. Throws a problem for one that is too large, not JSON, deeper
 * than any that means something, or names a prototype.
 */
export async function readJson(arrival: Arrival, maxBytes: number): Promise<unknown> {
  const { request } = arrival;
  const length = arrival.header("content-length");
  if (length === "0" || (length === undefined && arrival.header("transfer-encoding") === undefined)) {
    // What is not from a socket may have a body all the same.
    if (length === "0" || request.body === null) return undefined;
  }
  if (length !== undefined && !(Number(length) <= maxBytes)) throw tooLarge(maxBytes);
  requireJson(arrival.header("content-type"));
  const text = length === undefined ? await readUpTo(request, maxBytes) : await readText(request);
  return parse(text);
}

function requireJson(type: string | undefined): void {
  if (type === "application/json") return;
  const [essence = ""] = (type ?? "").split(";");
  const name = essence.trim().toLowerCase();
  if (name === "application/json" || /^application\/[\w.-]+\+json$/.test(name)) return;
  throw new RequestProblem(
    "MEDIA_TYPE_UNSUPPORTED",
    `The body must be application/json; got ${type === undefined ? "no content-type" : `"${name.slice(0, 60)}"`}.`,
    { close: true },
  );
}

async function readText(request: Request): Promise<string> {
  try {
    return await request.text();
  } catch {
    throw new RequestProblem("REQUEST_MALFORMED", "The body ended before it was whole.", { close: true });
  }
}

/** Of a body that does not say how long it is. */
async function readUpTo(request: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RequestProblem) throw error;
    throw new RequestProblem("REQUEST_MALFORMED", "The body ended before it was whole.", { close: true });
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLarge(maxBytes: number): RequestProblem {
  return new RequestProblem("BODY_TOO_LARGE", `The body may have at most ${maxBytes} bytes.`, {
    close: true,
  });
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RequestProblem("REQUEST_MALFORMED", `The body is not JSON: ${(error as Error).message}`);
  }
  const problem = problemIn(value, MAX_DEPTH);
  if (problem !== undefined) throw new RequestProblem("REQUEST_INVALID", problem);
  return value;
}

/** Looked for in what was read and not in the text, where a name can be written in many ways. */
function problemIn(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === 0) return `The body is deeper than ${MAX_DEPTH} levels.`;
  for (const key in value) {
    // It is meant for objects that are merged.
    if (key === "__proto__") return 'The body has a field "__proto__".';
    const problem = problemIn((value as Record<string, unknown>)[key], depth - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
