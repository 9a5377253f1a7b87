import { anthropic, gemini, openai, type VendorLoop } from "@toolrig/interop";
import type { Body } from "../../../packages/agent/test/wire/format.ts";
import type { Peer, Task } from "../peer.ts";
import { WIRES, type Wire } from "../vendors/tool-results.ts";
import { ask, askStreamed } from "./asking.ts";

type AnyLoop = VendorLoop<unknown, Body, Body, Body, Body>;

/** How a vendor is asked over HTTP, without any package of its own. */
interface Asking {
  loop(task: Task): AnyLoop;
  path(streams: boolean): string;
  body(messages: readonly Body[], tools: readonly unknown[]): object;
  user(text: string): Body;
  text(response: Body): string;
}

const partsText = (parts: readonly Body[]): string => parts.flatMap(({ text }) => text ?? []).join("");
const runOf = ({ runId }: Task) => (runId === undefined ? {} : { run: runId });

const ASKING: Readonly<Record<Wire, Asking>> = {
  "openai responses": {
    loop: (task) => openai(task.rig, runOf(task)) as AnyLoop,
    path: () => "/v1/responses",
    body: (input, tools) => ({ model: "m", input, tools }),
    user: (content) => ({ role: "user", content }),
    text: ({ output }) => partsText(output.flatMap(({ content = [] }: Body) => content)),
  },
  "openai chat": {
    loop: (task) => openai(task.rig, { api: "chat", ...runOf(task) }) as AnyLoop,
    path: () => "/v1/chat/completions",
    body: (messages, tools) => ({ model: "m", messages, tools }),
    user: (content) => ({ role: "user", content }),
    text: ({ choices }) => choices[0].message.content ?? "",
  },
  anthropic: {
    loop: (task) => anthropic(task.rig, runOf(task)) as AnyLoop,
    path: () => "/v1/messages",
    body: (messages, tools) => ({ model: "m", max_tokens: 1_000, messages, tools }),
    user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    text: ({ content }) => partsText(content),
  },
  google: {
    loop: (task) => gemini(task.rig, runOf(task)) as AnyLoop,
    path: (streams) => `/v1beta/models/m:${streams ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (contents, tools) => ({ contents, tools }),
    user: (text) => ({ role: "user", parts: [{ text }] }),
    text: ({ candidates }) => partsText(candidates[0].content.parts),
  },
};

const FORBIDDEN: Partial<Record<Wire, Peer["forbids"]>> = {
  google: {
    "broken arguments repaired": "Gemini gives arguments as values: there is no text that could be broken",
  },
};

function byHand(wire: Wire): Peer {
  return {
    name: `by hand (${wire})`,
    version: "the vendor's wire format",
    wire,
    forbids: FORBIDDEN[wire] ?? {},
    // A loop of one's own has no flow of approval but what one writes.
    approves: "inbox",
    fullOnly: wire !== "anthropic",
    run: (task) => run(ASKING[wire], task),
  };
}

export const byHandPeers: readonly Peer[] = WIRES.map(byHand);

/** The loop that people write. */
async function run(vendor: Asking, task: Task): Promise<string> {
  const { origin, prompt, streams, signal, onProgress } = task;
  const loop = vendor.loop(task);
  const url = `${origin}${vendor.path(streams)}`;
  const messages: Body[] = [vendor.user(prompt)];
  loop.userSaid(prompt);
  for (;;) {
    const body = vendor.body(messages, loop.tools);
    const response = streams
      ? await loop.collect(askStreamed(url, body, signal))
      : await ask(url, body, signal);
    const turn = messages.length;
    messages.push(...loop.said(response));
    const results = await loop.answer(response, {
      turn,
      onProgress: (update) => onProgress(JSON.stringify(update)),
      ...(signal !== undefined && { signal }),
    });
    if (results.length === 0 || loop.over) return vendor.text(response);
    messages.push(...results);
  }
}
