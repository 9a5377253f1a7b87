import { existsSync } from "node:fs";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isRecord } from "@toolrig/core/kit";
import { unreadableAnswer } from "../defence/unreadable.ts";
import { ANSWER_LIMITS, parseMessage } from "../wire/parse-message.ts";
import { type Child, type ChildSpec, endChild, startChild } from "./child.ts";

/** What a child said on stderr before it ended: enough to see why. */
const MAX_STDERR = 4_000;
const MAX_WORDS = 500;
/** How long what a child wrote before it ended is waited for. */
const LEFT_MS = 500;

/**
 * Messages to and from a child process, one a line. A line over the cap ends the connection, one that is no message is
 * reported and skipped. An answer that is not strict JSON fails the request that it answers. `stderr` and `pid` are how the SDK tells that this is a pipe and no network.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #spec: ChildSpec;
  readonly #maxBytes: number;
  #child: Child | undefined;
  #parts: Buffer[] = [];
  #size = 0;
  #closing: Promise<void> | undefined;
  #said = "";
  #hasLeft = false;

  constructor(spec: ChildSpec, maxBytes: number) {
    this.#spec = spec;
    this.#maxBytes = maxBytes;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** The last of what the child wrote to stderr. */
  get stderr(): string {
    return this.#said;
  }

  /** Whether the child ended before this end closed the connection. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** How the child ended, once it has. */
  get end(): string | undefined {
    const { exitCode = null, signalCode = null } = this.#child ?? {};
    if (signalCode !== null) return `the program was ended by ${signalCode}`;
    return exitCode === null ? undefined : `the program ended with exit code ${exitCode}`;
  }

  start(): Promise<void> {
    const child = startChild(this.#spec);
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-MAX_STDERR);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream.on("error", (error) => this.onerror?.(error));
    child.once("close", () => void this.close());
    // What it started may hold its pipes for ever, and one that has closed its output may go on for ever.
    const soon = () => setTimeout(() => void this.close(), LEFT_MS).unref();
    child.once("exit", () => {
      this.#hasLeft = this.#closing === undefined;
      soon();
    });
    child.stdout.once("end", soon);
    return new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        // Node says of both that the program is not there.
        const { cwd } = this.#spec;
        const isLost = cwd !== undefined && !existsSync(cwd);
        reject(isLost ? new Error(`the folder it is started in is not there: ${cwd}`) : error);
        void this.close();
      });
    });
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1 && this.#closing === undefined; end = rest.indexOf(10)) {
      if (!this.#keep(rest.subarray(0, end))) return;
      const line = Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      this.#size = 0;
      this.#take(line);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#keep(rest);
  }

  #keep(part: Buffer): boolean {
    this.#size += part.length;
    if (this.#size > this.#maxBytes) {
      this.onerror?.(new Error(`The server sent a line of over ${this.#maxBytes} bytes.`));
      this.#parts = [];
      void this.close();
      return false;
    }
    this.#parts.push(part);
    return true;
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    const parsed = parseMessage(line, ANSWER_LIMITS);
    if ("refused" in parsed) {
      const { id, isAnswer, problem, code } = parsed.refused;
      if (isAnswer && id !== null) this.onmessage?.(unreadableAnswer(id, problem));
      else if (code === -32_600) this.onerror?.(new Error(problem));
      else this.onerror?.(new Error(`The server sent a line that is no JSON: ${line.slice(0, 80)}`));
    } else if (isRecord(parsed.value)) this.onmessage?.(parsed.value as JSONRPCMessage);
    else this.onerror?.(new Error("The server sent a line that is no message."));
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || this.#closing !== undefined || !stdin.writable)
      return Promise.reject(new Error("The server's process has ended."));
    // Calls that are made together are written together.
    if (stdin.writableCorked === 0) {
      stdin.cork();
      process.nextTick(() => stdin.uncork());
    }
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves when the child has ended. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    this.#closing = this.#child === undefined ? Promise.resolve() : endChild(this.#child);
    this.onclose?.();
    return this.#closing;
  }
}

/** A line by which programs say what ended them, as those in JavaScript, Python and Java do. */
const ERROR_LINE = /^(?:[\w.]+\.)?\w*(?:Error|Exception)\b.*$/gm;

/** What of a program's stderr says why it ended: the last line that names an error, without where in the code, or else its end. */
export function lastWords(stderr: string): string {
  const named = stderr.match(ERROR_LINE)?.at(-1);
  return named?.slice(0, MAX_WORDS) ?? stderr.trim().slice(-MAX_WORDS);
}
