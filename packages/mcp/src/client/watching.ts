import type { WatchedResources } from "./watched-resources.ts";

/** How many resources of one server are watched at once. */
const MAX_WATCHED = 1_000;

/** The resources of a server that somebody wants to hear of, in this session and in those to come. */
export class Watching {
  /** How many want to hear of each. */
  readonly #wanted = new Map<string, number>();
  #session: WatchedResources | undefined;

  /** Watches one until the function that is given back is called. Rejects when the server refuses. */
  async watch(uri: string): Promise<() => void> {
    const times = this.#wanted.get(uri) ?? 0;
    if (times === 0 && this.#wanted.size >= MAX_WATCHED) throw await tooMany();
    this.#wanted.set(uri, times + 1);
    try {
      if (times === 0) await this.#session?.add(uri);
    } catch (error) {
      this.#leave(uri);
      throw error;
    }
    let isOver = false;
    return () => {
      if (!isOver) this.#leave(uri);
      isOver = true;
    };
  }

  /** A session begins: it watches what is wanted. */
  goOn(session: WatchedResources): void {
    this.#session = session;
    for (const uri of this.#wanted.keys()) session.add(uri).catch(() => {});
  }

  /** The session is over. */
  rest(): void {
    this.#session = undefined;
  }

  #leave(uri: string): void {
    const left = (this.#wanted.get(uri) ?? 1) - 1;
    if (left > 0) this.#wanted.set(uri, left);
    else {
      this.#wanted.delete(uri);
      this.#session?.remove(uri).catch(() => {});
    }
  }
}

/** The SDK loads with a connection, and must not with the class that every connection has from the start. */
async function tooMany(): Promise<Error> {
  const { ProtocolError, ProtocolErrorCode } = await import("@modelcontextprotocol/client");
  const message = `${MAX_WATCHED} resources of a server are the most.`;
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
}
