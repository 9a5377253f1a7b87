import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chatCompletions } from "./chat-completions.ts";
import type { Body, Said, WireFormat } from "./format.ts";
import { google } from "./google.ts";
import { mistral } from "./mistral.ts";
import { responses } from "./responses.ts";

const FORMATS: readonly WireFormat[] = [mistral, chatCompletions, responses, anthropic, google];

export type Reply = Said | { status: number; body: unknown; headers?: Record<string, string> };

interface Received {
  path: string;
  body: Body;
}

/**
 * A local server that answers as the providers do, from a script, and refuses the conversations that they refuse. Bytes
 * are cut wherever `cutEvery` falls.
 */
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
    const refused = format.refuses(body);
    if (refused !== undefined) {
      const error = {
        code: 400,
        type: "invalid_request_error",
        status: "INVALID_ARGUMENT",
        message: refused,
      };
      response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ ...error, error }));
      return;
    }
    if (!format.streams(path, body)) {
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(format.whole(reply)));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const bytes = Buffer.from(format.frames(reply).join(""));
    void inPieces(bytes, cutEvery, response).then(() => {
      if (reply.resets) response.destroy();
      else response.end();
    });
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
  // What was written is on its way before the connection ends, however it does.
  await new Promise((resolve) => response.write("", resolve));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
