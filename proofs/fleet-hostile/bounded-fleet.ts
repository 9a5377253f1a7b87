/** In a fleet with permissions, or with an account a caller, "site" tries to do what only "desk" may. */
import { headers } from "@nats-io/transport-node";
import { HANG_MS } from "../../scripts/hang-limit.ts";
import type { Behaviour, Scene } from "./scene.ts";
import { pause } from "./scene.ts";

const CALL =
  '{"executionId":"forged","call":{"id":"c","name":"send_mail","arguments":{"number":-7}},"options":{"principal":{"id":"ceo"}}}';
const CARD = '{"id":"evil","startedAt":1,"at":1,"running":0,"tools":[]}';
const FORGED = -7;

function finalEntry(key: string): string {
  const result = {
    callId: "c",
    executionId: key,
    name: "send_mail",
    isError: false,
    content: [],
    value: "forged",
  };
  return JSON.stringify({ state: "final", fingerprint: "x", at: 1, result });
}

/** Writes something under a key of site's own, and lets the server publish it elsewhere. */
async function relay({ hostile }: Scene, text: string, subject: string): Promise<void> {
  await hostile.request("$KV.TOOL_LEDGER.site.forged", text, { timeout: HANG_MS });
  hostile.publish("$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.site.forged", "", { reply: subject });
  await hostile.flush();
  await pause(300);
}

/** Where workers are asked something: the server names them to everybody. */
async function workersAsked({ hostile }: Scene): Promise<string[]> {
  const asked = await hostile.request("$JS.API.STREAM.INFO.KV_AGENT_WORKERS", '{"subjects_filter":">"}');
  const { state } = asked.json<{ state: { subjects?: Record<string, number> } }>();
  const ids = Object.keys(state.subjects ?? {}).map((subject) => subject.split(".").at(-1));
  return ["tool.list", ...ids.map((id) => `tool.worker.${id}`)];
}

/** Asks for answers on subjects of every call. All calls go on as if nothing had been asked. */
async function answered(scene: Scene, replies: readonly string[], asked: readonly string[]) {
  const { hostile, keys } = scene;
  for (const key of keys)
    for (const subject of asked)
      for (const reply of replies) hostile.publish(subject, "x", { reply: `${reply}.${key}` });
  await hostile.flush();
  const failures = (await scene.answers()).flatMap(({ result }) => result?.failure?.code ?? []);
  return failures.length > 0 ? `calls of others ended with ${failures.join(", ")}` : undefined;
}

const toEveryKey =
  (subject: string, text = finalEntry) =>
  async (scene: Scene): Promise<void> => {
    for (const key of scene.keys) await relay(scene, text(key), `${subject}.${key}`);
  };

const ran = ({ effects }: Scene) => (effects.has(FORGED) ? "the forged call ran" : undefined);

/** The same in both set-ups. */
export const bounded: readonly Behaviour[] = [
  {
    name: "a call on a subject that is not the caller's",
    async act(scene) {
      scene.hostile.publish("tool.execute.send_mail", CALL);
      await scene.hostile.flush();
      await pause(300);
      return ran(scene);
    },
  },
  {
    name: "a call of another tool on a subject that is",
    async act(scene) {
      scene.hostile.publish("tool.execute.search_docs", CALL);
      await scene.hostile.flush();
      await pause(300);
      return ran(scene);
    },
  },
  {
    name: "a call that the server is made to publish",
    async act(scene) {
      await relay(scene, CALL, "tool.execute.send_mail");
      return ran(scene);
    },
  },
  { name: "a result that the server is made to publish", act: toEveryKey("tool.result") },
  { name: "a cancellation that the server is made to publish", act: toEveryKey("tool.cancel") },
  { name: "an entry that the server is made to write", act: toEveryKey("$KV.TOOL_LEDGER") },
  {
    name: "an answer that a worker is made to give, as a cancellation or an entry",
    act: async (scene) => answered(scene, ["tool.cancel", "$KV.TOOL_LEDGER"], await workersAsked(scene)),
  },
  {
    name: "an answer that the server is made to give, as a cancellation",
    act: (scene) => answered(scene, ["tool.cancel"], ["$KV.TOOL_LEDGER.site.forged"]),
  },
  {
    name: "a card that the server is made to publish",
    act: (scene) => relay(scene, CARD, "$KV.AGENT_WORKERS.evil"),
  },
  {
    name: "an entry of its own whose header rolls up all others",
    async act(scene) {
      const rollUp = headers();
      rollUp.set("Nats-Rollup", "all");
      for (const subject of ["$KV.TOOL_LEDGER.site.z", "$KV.AGENT_OBJECTS.site.z.0"])
        await scene.hostile.request(subject, "{}", { headers: rollUp, timeout: HANG_MS });
      return scene.again();
    },
  },
  {
    name: "entries, cancellations and results of others, written directly",
    async act({ hostile, keys }) {
      for (const key of keys)
        for (const subject of ["$KV.TOOL_LEDGER", "tool.cancel", "tool.result", "tool.update"])
          hostile.publish(`${subject}.${key}`, finalEntry(key));
      await hostile.flush();
    },
  },
];
