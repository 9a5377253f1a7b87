import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const PATH = "/callback";
const HEADERS = {
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-store",
  connection: "close",
};

/**
 * Where a browser brings the answer of an authorization server: a port of this machine, opened when the first flow begins. An
 * answer counts only with the state of a flow that waits for it.
 */
export class CallbackListener {
  readonly #waiting = new Map<string, (answer: URLSearchParams) => void>();
  #server: Server | undefined;
  #opening: Promise<string> | undefined;

  /** The address to come back to. */
  open(port = 0): Promise<string> {
    this.#opening ??= this.#open(port).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** The answer to the flow with this state. Calling the function that comes with it ends the waiting. */
  expect(state: string, onAnswer: (answer: URLSearchParams) => void): () => void {
    this.#waiting.set(state, onAnswer);
    return () => this.#waiting.delete(state);
  }

  /** An answer, by whoever brings it. False when no flow waits for it. */
  take(answer: URLSearchParams): boolean {
    const state = answer.get("state") ?? "";
    const onAnswer = this.#waiting.get(state);
    if (onAnswer === undefined) return false;
    this.#waiting.delete(state);
    onAnswer(answer);
    return true;
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #open(port: number): Promise<string> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
      const counts = request.method === "GET" && pathname === PATH && this.take(searchParams);
      response.writeHead(counts ? 200 : 400, HEADERS);
      response.end(counts ? "Done. You can close this window." : "Nobody waits for this.");
    });
    this.#server = server;
    server.unref();
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`);
      });
    });
  }
}
