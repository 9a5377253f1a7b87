import { readFileSync } from "node:fs";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { shallow } from "../defence/shallow.ts";
import { answerEnded } from "../wire/ended-streams.ts";

/** Lets `read` see every message before the SDK does. */
export function tap(transport: Transport, read: (message: JSONRPCMessage) => JSONRPCMessage): void {
  const came = answerEnded(transport);
  let handler: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => handler,
    set(given: Transport["onmessage"]) {
      handler =
        given &&
        ((message, extra) => {
          const answer = came(message);
          const safe = answer && shallow(read(answer));
          if (safe !== undefined) given(safe, extra);
        });
    },
  });
}

export async function unlessAborted<Value>(signal: AbortSignal, pending: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([pending, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

export async function within(pending: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([pending.catch(() => {}), late]);
  clearTimeout(timer);
}

/** The file lies beside both `src` and `dist`. */
export function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}
