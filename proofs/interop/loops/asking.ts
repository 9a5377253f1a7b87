import type { Body } from "../../../packages/agent/test/wire/format.ts";

/** Posts JSON and reads JSON, or rejects with what the vendor said. */
export async function ask(url: string, body: object, signal: AbortSignal | undefined): Promise<Body> {
  const response = await post(url, body, signal);
  return response.json();
}

/** The same for a stream of server-sent events. */
export async function* askStreamed(
  url: string,
  body: object,
  signal: AbortSignal | undefined,
): AsyncGenerator<Body> {
  const response = await post(url, { ...body, stream: true }, signal);
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + chunk).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split("\n")
        .flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []))
        .join("\n");
      if (data !== "" && data !== "[DONE]") yield JSON.parse(data);
    }
  }
}

async function post(url: string, body: object, signal: AbortSignal | undefined): Promise<Response> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
