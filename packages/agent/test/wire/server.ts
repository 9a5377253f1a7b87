import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chatCompletions } from "./chat-completions.ts";
import type { Said, WireFormat } from "./format.ts";
import { google } from "./google.ts";
import { responses } from "./responses.ts";

const FORMATS: readonly WireFormat[] = [chatCompletions, responses, anthropic, google];

export type Reply = Said | { status: number; body: unknown; headers?: Record<string, string> };

interface Received {
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of four providers, looked into by the tests
  body: any;
}

/** A local server that answers as the providers do, from a script. Bytes are cut wherever `cutEvery` falls. */
export async function wireServer() {
  let script: Reply[] = [];
  let cutEvery = 5;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const body = JSON.parse(text);
      received.push({ path: request.url!, body });
      answer(
        request.url!,
        body,
        script.shift() ?? { status: 500, body: { error: { message: "no more" } } },
        response,
      );
    });
  });

  function answer(path: string, body: Record<string, unknown>, reply: Reply, response: ServerResponse): void {
    if ("status" in reply) {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(JSON.stringify(reply.body));
      return;
    }
    const format = FORMATS.find((each) => each.serves(path))!;
    if (!format.streams(path, body)) {
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(format.whole(reply)));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const bytes = Buffer.from(format.frames(reply).join(""));
    void inPieces(bytes, cutEvery, response);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    play(replies: readonly Reply[], options: { cutEvery?: number } = {}): void {
      script = [...replies];
      cutEvery = options.cutEvery ?? 5;
      received.length = 0;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function inPieces(bytes: Buffer, size: number, response: ServerResponse): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    if (at % (size * 50) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
