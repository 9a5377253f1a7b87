import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallRecord, Guard, Policy } from "@toolrig/core";
import { openStore, type Store } from "@toolrig/store";
import type { Said } from "../../packages/agent/test/wire/format.ts";
import { wireServer } from "../../packages/agent/test/wire/server.ts";
import { type Rig, rig } from "../../packages/cli/src/rig/rig.ts";
import type { Peer, Task } from "./peer.ts";
import { PIXEL, type Seen, toolsOf } from "./tools.ts";
import { resultsIn, type SentResult } from "./vendors/tool-results.ts";

/** Calls have the ids that the tests know them by: `c1`, `c2`, in the order of what is said. */
export const says = (...calls: [name: string, args: unknown][]): Said => ({
  calls: calls.map(([name, args], index) => ({
    id: `c${index + 1}`,
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
  })),
});

/** What judges the calls of a bench. */
export interface Rules {
  policy?: Policy;
  guards?: readonly Guard[];
}

/** A rig with its store, a model at a real address, and a peer between them. */
export class Bench {
  readonly seen: Seen = { ran: [], most: {}, aborted: false };
  readonly progress: string[] = [];
  readonly peer: Peer;
  readonly #server: Awaited<ReturnType<typeof wireServer>>;
  readonly #folder = mkdtempSync(join(tmpdir(), "toolrig-interop-"));
  readonly #store: Store;
  #rig: Rig;

  private constructor(peer: Peer, server: Awaited<ReturnType<typeof wireServer>>, rules: Rules) {
    this.peer = peer;
    this.#server = server;
    this.#store = openStore(join(this.#folder, "rig.db"));
    this.#rig = this.#assemble(rules);
  }

  static async of(peer: Peer, rules: Rules = {}): Promise<Bench> {
    return new Bench(peer, await wireServer(), rules);
  }

  #assemble(rules: Rules = {}): Rig {
    return rig({ tools: toolsOf(this.seen), store: this.#store, ...rules });
  }

  get rig(): Rig {
    return this.#rig;
  }

  /** The process has died over what it did: another has the same store, and its own rig. */
  async restart(): Promise<void> {
    await this.#rig.close();
    this.#rig = this.#assemble();
  }

  /** Has the model say all of this, one answer after the other. */
  async run(said: readonly Said[], task: Partial<Task> = {}): Promise<string> {
    this.#server.play(said);
    return this.peer.run({
      rig: this.#rig,
      origin: this.#server.origin,
      prompt: "Do it.",
      streams: false,
      onProgress: (text) => this.progress.push(text),
      ...task,
    });
  }

  /** The number of requests to the model. */
  get asked(): number {
    return this.#server.received.length;
  }

  /** The results that the model was sent, as the vendor gets them: those of the last request. */
  sent(): SentResult[] {
    const last = this.#server.received.at(-1);
    return last === undefined ? [] : resultsIn(this.peer.wire, last.body);
  }

  /** Whether the model was sent the picture: in a result, or in a message beside it where the vendor takes none there. */
  sentPixel(): boolean {
    return JSON.stringify(this.#server.received.at(-1)?.body ?? "").includes(PIXEL);
  }

  /** Records, oldest first. */
  async records(): Promise<CallRecord[]> {
    await this.#rig.executor.drain();
    this.#rig.executor.start();
    return [...this.#store.records.all()];
  }

  async close(): Promise<void> {
    await this.#rig.close();
    this.#store.close();
    await this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
