import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TokenFile } from "@toolrig/server";
import { deferred, type Rig, rig, tool } from "toolrig";
import { HANG_MS } from "../../scripts/hang-limit.ts";

/** A server that asks for tokens, and one that does not, over the same rig. */
export interface Scene {
  readonly ports: { tokens: number; open: number };
  readonly tokens: Readonly<Record<Holder, string>>;
  /** What tools did. */
  readonly ran: string[];
  /** An execution that waits for a result, and one that waits for approval, both of "caller". */
  readonly deferred: string;
  readonly asked: string;
  send(to: "tokens" | "open", request: Sent): Promise<string>;
  close(): Promise<void>;
}

export type Holder =
  | "reader"
  | "caller"
  | "narrow"
  | "approver"
  | "admin"
  | "expired"
  | "revoked"
  | "quick"
  | "both";

/** Text that is sent at once, or pieces of it with pauses before each but the first. */
export type Sent = string | { pieces: readonly string[]; pauseMs: number };

const EMPTY = { type: "object" } as const;
export const MAX_BODY = 10_000;

export async function openScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "proof-http-"));
  const ran: string[] = [];
  const own = rig({ tools: toolsOf(ran), store: join(folder, "rig.db") });
  const file = new TokenFile(join(folder, "tokens.json"));
  const made = (name: string, scopes: string, expiresAt?: number) =>
    file.add(name, scopes.split(",") as never, expiresAt).token;
  const tokens: Record<Holder, string> = {
    reader: made("reader", "read"),
    caller: made("caller", "call"),
    narrow: made("narrow", "tools:add"),
    approver: made("approver", "approve"),
    admin: made("admin", "admin"),
    expired: made("expired", "admin", Date.now() - 1_000),
    revoked: made("revoked", "admin"),
    quick: made("quick", "read"),
    both: made("both", "call,approve"),
  };
  file.revoke("revoked");
  const limits = {
    body: MAX_BODY,
    headerTimeout: "1s",
    requestTimeout: "1s",
    rate: { limit: 60, per: "1h" },
  } as const;
  const strict = await own.serve({ port: 0, tokens: file, limits });
  const open = await own.serve({ port: 0, limits });
  const ports = { tokens: strict.port, open: open.port };
  const waiting = async (name: string, principal: string) => {
    const call = { id: "call_1", name };
    return (await own.call(call, { onWaiting: "return", principal: { id: principal } })).executionId;
  };
  const scene = {
    deferred: await waiting("wait_for_it", "caller"),
    asked: await waiting("ask_first", "both"),
  };
  ran.length = 0;
  return {
    ...scene,
    ports,
    tokens,
    ran,
    send: (to, request) => sendTo(ports[to], request),
    async close() {
      await strict.close(1);
      await open.close(1);
      await own.close(1);
    },
  };
}

function toolsOf(ran: string[]): NonNullable<Parameters<typeof rig>[0]>["tools"] & object {
  return [
    tool({
      name: "add",
      description: "Add",
      input: EMPTY,
      safety: { sideEffects: "none" },
      execute() {
        ran.push("add");
        return "added";
      },
    }),
    tool({
      name: "pay",
      description: "Pay",
      input: EMPTY,
      execute() {
        ran.push("pay");
        return "paid";
      },
    }),
    tool({
      name: "wait_for_it",
      description: "Comes later",
      input: EMPTY,
      execute: () => deferred({ note: "later" }),
    }),
    tool({ name: "ask_first", description: "Asks", input: EMPTY, approval: true, execute: () => "asked" }),
  ];
}

/** All that comes back until the server ends it, or has answered and says nothing more. */
async function sendTo(port: number, request: Sent): Promise<string> {
  const { pieces, pauseMs } = typeof request === "string" ? { pieces: [request], pauseMs: 0 } : request;
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(end, HANG_MS);
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      text += chunk;
      const head = text.indexOf("\r\n\r\n");
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
      if (head >= 0 && text.length >= head + 4 + length) end();
    });
    socket.on("error", end);
    socket.on("close", end);
    socket.on("connect", async () => {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await new Promise((go) => setTimeout(go, pauseMs));
        if (socket.destroyed) return;
        socket.write(piece, "latin1");
      }
    });
  });
}

export type { Rig };
