import type { Arrival } from "./arrival.ts";
import { parseJson } from "./parse-json.ts";
import { RequestProblem } from "./problem.ts";

/** The body of a request as JSON; undefined where there is none. Throws a problem for one that is too large, or that cannot be read. */
export async function readJson(arrival: Arrival, maxBytes: number): Promise<unknown> {
  if (!arrival.hasBody) return undefined;
  const length = arrival.header("content-length");
  if (length !== undefined && !(Number(length) <= maxBytes)) throw tooLarge(maxBytes);
  requireJson(arrival.header("content-type"));
  return parseJson(await whole(length === undefined ? readUpTo(arrival, maxBytes) : arrival.body()));
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

async function whole(reading: Promise<Buffer>): Promise<Buffer> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof RequestProblem) throw error;
    throw new RequestProblem("REQUEST_MALFORMED", "The body ended before it was whole.", { close: true });
  }
}

/** Of a body that does not say how long it is. */
async function readUpTo(arrival: Arrival, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of arrival.pieces()) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): RequestProblem {
  return new RequestProblem("BODY_TOO_LARGE", `The body may have at most ${maxBytes} bytes.`, {
    close: true,
  });
}
