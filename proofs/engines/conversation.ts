import {
  AgentLoop,
  type AgentLoopOptions,
  aiSdkEngine,
  type LoopEvent,
  type Message,
  type RunOutcome,
} from "@toolrig/agent";
import { result, tool } from "@toolrig/core";
import type { Body } from "../../packages/agent/test/wire/format.ts";
import type { Reply, wireServer } from "../../packages/agent/test/wire/server.ts";
import { VENDORS, type VendorName } from "../../packages/agent/test/wire/vendors.ts";

/** What happened when a script of responses was played to a loop. */
export interface Conversation {
  outcome: RunOutcome;
  /** Why the model was asked again, in order. */
  retries: Extract<LoopEvent, { type: "model.retry" }>[];
  /** What was noted by the calls that ran. */
  notes: readonly string[];
  /** The bodies of the requests. */
  requests: readonly Body[];
  /** The last of them, as text. */
  sent: string;
}

export interface Play {
  loop?: Partial<AgentLoopOptions>;
  messages?: readonly Message[];
  streaming?: boolean;
  /** The bytes of the streams are cut after this many. */
  cutEvery?: number;
  onEvent?(event: LoopEvent, abort: () => void): void;
}

/** One vendor's package against a server that speaks as the vendor does. */
export class Bench {
  readonly vendor: VendorName;
  readonly #server: Awaited<ReturnType<typeof wireServer>>;

  constructor(vendor: VendorName, server: Awaited<ReturnType<typeof wireServer>>) {
    this.vendor = vendor;
    this.#server = server;
  }

  /** The same server, asked by another vendor's package. */
  with(vendor: VendorName): Bench {
    return new Bench(vendor, this.#server);
  }

  async play(replies: readonly Reply[], play: Play = {}): Promise<Conversation> {
    const { loop = {}, messages = [], streaming = true, cutEvery = 7, onEvent } = play;
    this.#server.play(replies, { cutEvery });
    const notes: string[] = [];
    const run = new AgentLoop({
      engine: aiSdkEngine(VENDORS[this.vendor](this.#server.origin), { streaming }),
      tools: toolsThat(notes),
      retry: { attempts: 3, backoff: 0 },
      ...loop,
    }).run("Go.", { messages });
    const retries: Conversation["retries"] = [];
    for await (const event of run) {
      if (event.type === "model.retry") retries.push(event);
      onEvent?.(event, () => run.abort());
    }
    const outcome = await run.outcome;
    const requests = this.#server.received.map(({ body }) => body);
    return { outcome, retries, notes, requests, sent: JSON.stringify(requests.at(-1)) };
  }
}

function toolsThat(notes: string[]) {
  const common = { input: { type: "object" }, safety: { sideEffects: "none" } } as const;
  const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
  const seen = (isError: boolean) => () =>
    result({ isError, content: [{ type: "text", text: isError ? "broken page" : "a page" }, image] });
  const text = { type: "string" } as const;
  return [
    tool({
      name: "note",
      description: "Write a note",
      input: { type: "object", properties: { text }, required: ["text"] },
      safety: { sideEffects: "write" },
      execute: (args) => {
        notes.push(args.text);
        return "noted";
      },
    }),
    tool({ ...common, name: "look", description: "Look at a page", execute: seen(false) }),
    tool({ ...common, name: "fail", description: "Look at a broken page", execute: seen(true) }),
    tool({
      ...common,
      name: "fetch_it",
      description: "Fetch",
      safety: { sideEffects: "read", requires: ["network"] },
      execute: () => "fetched",
    }),
  ];
}
