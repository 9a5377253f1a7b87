/** The other end of a connection, as a hostile server holds it. */
export interface Peer {
  /** A message, as JSON on a line. */
  send(message: unknown): void;
  /** Anything. */
  write(raw: string | Buffer): void;
  notify(method: string, params?: unknown): void;
  /** A request to the client, and what it answered. */
  ask(
    method: string,
    params?: unknown,
  ): Promise<{ result?: unknown; error?: { code: number; message: string } }>;
}

/** No answer at all. */
export const SILENCE: unique symbol = Symbol("silence");

// biome-ignore lint/suspicious/noExplicitAny: what a client sends has the shape of its method
export type Method = (params: any, id: unknown) => unknown;
export type Methods = Readonly<Record<string, Method>>;

/** A message that answers with an error. */
export class Refusal extends Error {}

export const OBJECT = { type: "object" } as const;
export const ECHO = { name: "echo", description: "Answers what it is given", inputSchema: OBJECT };

export function named(name: unknown, more: object = {}) {
  return { name, description: "A tool", inputSchema: OBJECT, ...more };
}

export function text(content: string, more: object = {}) {
  return { content: [{ type: "text", text: content }], ...more };
}

/** What a server does where it is not hostile. */
export const BASE: Methods = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: "server", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [ECHO] }),
  "tools/call": ({ name, arguments: args }) => text(`${name} ${JSON.stringify(args)}`),
};

/** A list that is another one after the tool `turn` was called. */
export function turning(peer: Peer, before: readonly unknown[], after: readonly unknown[]): Methods {
  const turn = named("turn");
  let tools = [...before, turn];
  return {
    "tools/list": () => ({ tools }),
    "tools/call": ({ name }) => {
      if (name === "turn") {
        tools = [...after, turn];
        peer.notify("notifications/tools/list_changed");
      }
      return text("done", { structuredContent: {} });
    },
  };
}
