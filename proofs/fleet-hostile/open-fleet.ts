/** In a fleet without permissions everybody may say anything; what is said is still checked. */
import { randomBytes } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import type { Behaviour, Scene } from "./scene.ts";
import { pause } from "./scene.ts";

const NOISE: readonly (string | Uint8Array)[] = [
  "",
  "{",
  "null",
  "[]",
  '"text"',
  "{}",
  '{"state":"final"}',
  '{"state":"final","fingerprint":"x","result":null}',
  '{"id":7,"name":null}',
  '{"object":"../../x"}',
  `${"[".repeat(20_000)}`,
  new Uint8Array([0x1f, 0x8b, 1, 2, 3]),
  randomBytes(300_000),
];

const keyOf = (scene: Scene) => scene.keys.at(-1) ?? "hostile.none";
const ledger = (scene: Scene) => `$KV.TOOL_LEDGER.${keyOf(scene)}`;
const card = { startedAt: 1, at: 1, running: 0 };
const offer = {
  name: "once",
  description: "x",
  inputSchema: { type: "object" },
  provider: "evil",
  available: false,
  safety: { sideEffects: "none", idempotent: true },
};

function noiseOn(name: string, subject: (scene: Scene) => string): Behaviour {
  return {
    name: `noise on ${name}`,
    async act(scene) {
      for (const data of NOISE) {
        scene.hostile.publish(subject(scene), data);
        scene.hostile.publish(subject(scene), data, { reply: "nobody.listens" });
      }
      await scene.hostile.flush();
    },
  };
}

function forgedResult({ hostile, keys }: Scene, source?: string): void {
  for (const key of keys) {
    const result = {
      callId: "c",
      executionId: key,
      name: "once",
      isError: false,
      content: [],
      value: "forged",
    };
    const forged = headers();
    if (source !== undefined) {
      forged.append("Nats-Stream", "KV_TOOL_LEDGER");
      forged.append("Nats-Subject", source);
    }
    const entry = JSON.stringify({ state: "final", fingerprint: "x", at: 1, result });
    hostile.publish(`tool.result.${key}`, entry, { headers: forged });
  }
}

async function copies(scene: Scene, change: (call: object) => object): Promise<void> {
  for (const key of scene.keys) {
    const number = Number(key.split("e").at(-1));
    for (const name of ["once", "again"]) {
      const call = { id: `c${number}`, name, arguments: { number, ms: 300 } };
      scene.hostile.publish(`tool.execute.${name}`, JSON.stringify({ executionId: key, call: change(call) }));
    }
  }
  await scene.hostile.flush();
}

export const openFleet: readonly Behaviour[] = [
  noiseOn("the queue", () => "tool.execute.once"),
  noiseOn("a queue that nobody takes", () => "tool.execute.nobody"),
  noiseOn("a subject that is no queue", () => "tool.execute.once.x.y"),
  noiseOn("a result", (scene) => `tool.result.${keyOf(scene)}`),
  noiseOn("updates", (scene) => `tool.update.${keyOf(scene)}`),
  noiseOn("questions to workers", () => "tool.worker.somebody"),
  noiseOn("the list of tools", () => "tool.list"),
  noiseOn("entries of others", () => "$KV.TOOL_LEDGER.hostile.elsewhere"),
  noiseOn("cards", () => "$KV.AGENT_WORKERS.evil"),
  noiseOn("large texts", () => "$KV.AGENT_OBJECTS.hostile.e1.call.0"),
  noiseOn("dead letters", () => "tool.dlq.once"),
  noiseOn("acknowledgements", () => "$JS.ACK.AGENT.tool-exec-once.1.2.3.4.5"),
  noiseOn("tokens and slots", () => "tool.rate.once"),
  { name: "a forged result", act: async (scene) => forgedResult(scene) },
  {
    name: "a forged result in the name of another's entry",
    act: async (scene) => forgedResult(scene, "$KV.TOOL_LEDGER.site.x"),
  },
  {
    name: "forged updates of a later attempt",
    async act({ hostile, keys }) {
      for (const key of keys)
        hostile.publish(
          `tool.update.${key}`,
          JSON.stringify({ attempt: 99, n: 1, event: { type: "call.end" } }),
        );
    },
  },
  {
    name: "a card that offers nothing but null",
    async act({ hostile }) {
      hostile.publish(
        "$KV.AGENT_WORKERS.evil",
        JSON.stringify({ ...card, id: "evil", tools: [null, 7, {}] }),
      );
    },
  },
  {
    name: "a card that says that no tool is available",
    async act({ hostile }) {
      hostile.publish("$KV.AGENT_WORKERS.evil", JSON.stringify({ ...card, id: "evil", tools: [offer] }));
    },
  },
  {
    name: "a card filed under another worker's name",
    async act({ hostile }) {
      hostile.publish("$KV.AGENT_WORKERS.evil", JSON.stringify({ ...card, id: "worker_1", tools: [offer] }));
    },
  },
  {
    name: "an impostor that answers for workers",
    async act(scene) {
      const impostor = scene.hostile.subscribe("tool.worker.*", {
        callback: (_error, message) => void message.respond("no"),
      });
      await scene.hostile.flush();
      await copies(scene, (call) => call);
      await pause(1_000);
      impostor.unsubscribe();
    },
  },
  { name: "copies of a call while it runs", act: (scene) => copies(scene, (call) => call) },
  {
    name: "copies of a call after it ended",
    async act(scene) {
      await scene.answers();
      await copies(scene, (call) => call);
      await pause(1_000);
    },
  },
  {
    name: "the same execution with other arguments",
    act: (scene) => copies(scene, (call) => ({ ...call, arguments: { number: -1 } })),
  },
  {
    name: "an entry that is deleted",
    async act(scene) {
      const marker = headers();
      marker.set("KV-Operation", "DEL");
      for (const key of scene.keys) scene.hostile.publish(`$KV.TOOL_LEDGER.${key}`, "", { headers: marker });
      await scene.hostile.flush();
    },
  },
  {
    name: "an entry that is purged",
    async act(scene) {
      const { streams } = await jetstreamManager(scene.hostile, { checkAPI: false });
      await streams.purge("KV_TOOL_LEDGER", { filter: ledger(scene) });
    },
  },
  {
    name: "an entry that is garbled",
    async act(scene) {
      for (const key of scene.keys) scene.hostile.publish(`$KV.TOOL_LEDGER.${key}`, "{garbled");
      await scene.hostile.flush();
    },
  },
  {
    name: "an entry that names another worker",
    async act(scene) {
      const entry = { state: "started", worker: "nobody", attempt: 1, fingerprint: "x", at: 1 };
      for (const key of scene.keys) scene.hostile.publish(`$KV.TOOL_LEDGER.${key}`, JSON.stringify(entry));
      await scene.hostile.flush();
    },
  },
  {
    name: "a queue that is purged",
    async act(scene) {
      const { streams } = await jetstreamManager(scene.hostile, { checkAPI: false });
      await scene.call("again", { begun: false });
      await streams.purge("AGENT");
    },
  },
  {
    name: "a consumer that is deleted",
    async act(scene) {
      const { consumers } = await jetstreamManager(scene.hostile, { checkAPI: false });
      await consumers.delete("AGENT", "tool-exec-once");
      await scene.call("once", { begun: false });
    },
  },
  {
    name: "workers' cards that are purged",
    async act(scene) {
      const { streams } = await jetstreamManager(scene.hostile, { checkAPI: false });
      await streams.purge("KV_AGENT_WORKERS");
    },
  },
  {
    name: "storage that is full for a while",
    async act(scene) {
      const { streams } = await jetstreamManager(scene.hostile, { checkAPI: false });
      const { config } = await streams.info("KV_TOOL_LEDGER");
      await streams.update("KV_TOOL_LEDGER", { ...config, max_msgs: 1 });
      await pause(1_500);
      await streams.update("KV_TOOL_LEDGER", config);
    },
  },
];
