/** What a participant tries to have the server do with its own rights: read, copy, change, remove and call what is not its own. */
import { jetstreamManager, type StreamConfig } from "@nats-io/jetstream";
import { type ConnectionOptions, connect, type NatsConnection } from "@nats-io/transport-node";
import { type Behaviour, pause, type Scene } from "./scene.ts";

/** Somebody with a login, and what it may write. */
export interface Role {
  name: string;
  login: ConnectionOptions;
  /** A key of the ledger that it may write. */
  key: string;
  /** The tool whose queue it may put calls into, and take them from if it is a worker. */
  queue: string;
  worker: boolean;
}

const FORGED = -7;
/** By whom desk's calls are never made, and for whom. */
const BOSS = "the-boss";
const CALL = JSON.stringify({
  executionId: "forged",
  caller: "desk",
  call: { id: "c", name: "send_mail", arguments: { number: FORGED } },
  options: { principal: { id: BOSS } },
});

/** One thing that the server could be made to do: what it is sent to whom, and how one sees that it did. */
interface Aim {
  name: string;
  subjects: readonly string[];
  text(config: StreamConfig): string;
  /** A complaint when it came about. */
  came(admin: NatsConnection, scene: Scene): Promise<string | undefined> | string | undefined;
}

const configOf = async (admin: NatsConnection, stream: string) =>
  (await jetstreamManager(admin)).streams.info(stream).then(({ config }) => config);

const exists = (admin: NatsConnection, stream: string) =>
  configOf(admin, stream).then(
    () => true,
    () => false,
  );

const AIMS: readonly Aim[] = [
  {
    name: "a mirror of the ledger",
    subjects: ["$JS.API.STREAM.CREATE.STOLEN"],
    text: () =>
      '{"name":"STOLEN","mirror":{"name":"KV_TOOL_LEDGER"},"storage":"memory","retention":"limits"}',
    came: async (admin) => ((await exists(admin, "STOLEN")) ? "the ledger was mirrored" : undefined),
  },
  {
    name: "the queue republished",
    subjects: ["$JS.API.STREAM.UPDATE.AGENT"],
    text: (config) => JSON.stringify({ ...config, republish: { src: ">", dest: "stolen.>" } }),
    came: async (admin) =>
      (await configOf(admin, "AGENT")).republish === undefined ? undefined : "the queue was republished",
  },
  {
    name: "a transform that makes other calls of its own",
    subjects: ["$JS.API.STREAM.UPDATE.AGENT"],
    text: (config) =>
      JSON.stringify({
        ...config,
        subject_transform: { src: "tool.execute.search_docs", dest: "tool.execute.send_mail" },
      }),
    came: async (admin) =>
      (await configOf(admin, "AGENT")).subject_transform === undefined ? undefined : "subjects were changed",
  },
  {
    name: "a source that copies its own stream into the queue",
    subjects: ["$JS.API.STREAM.UPDATE.AGENT"],
    text: (config) => JSON.stringify({ ...config, sources: [{ name: "KV_TOOL_LEDGER" }] }),
    came: async (admin) =>
      ((await configOf(admin, "AGENT")).sources ?? []).length === 0
        ? undefined
        : "the queue copies another stream",
  },
  {
    name: "a stream that is deleted",
    subjects: ["$JS.API.STREAM.DELETE.AGENT_DLQ", "$JS.API.STREAM.DELETE.KV_AGENT_WAITS"],
    text: () => "",
    came: async (admin) =>
      (await exists(admin, "AGENT_DLQ")) && (await exists(admin, "KV_AGENT_WAITS"))
        ? undefined
        : "a stream was deleted",
  },
  {
    name: "a call in another's name",
    subjects: ["tool.execute.send_mail", "tool.execute.send_mail.from.desk"],
    text: () => CALL,
    came: (_, { effects }) => (effects.has(FORGED) ? `send_mail ran for ${BOSS}` : undefined),
  },
];

/** Every aim of a participant's, by every way that there is. */
export function relays(role: Role, admin: ConnectionOptions): Behaviour[] {
  const aims = AIMS.filter(({ name }) => mayNot(role, name)).map(
    (aim): Behaviour => ({
      name: `${role.name}: ${aim.name}`,
      act: (scene) => withAdmin(admin, (operator) => attempt(role, aim, scene, operator)),
    }),
  );
  const forged = role.worker && role.queue !== "send_mail" ? [forgedWait(role)] : [];
  return [...aims, ...forged];
}

/** desk may call send_mail, and mail-worker runs it. */
const mayNot = (role: Role, aim: string) => aim !== "a call in another's name" || role.queue !== "send_mail";

async function withAdmin<T>(
  login: ConnectionOptions,
  act: (admin: NatsConnection) => Promise<T>,
): Promise<T> {
  const admin = await connect(login);
  try {
    return await act(admin);
  } finally {
    await admin.close();
  }
}

async function attempt(
  role: Role,
  aim: Aim,
  scene: Scene,
  admin: NatsConnection,
): Promise<string | undefined> {
  const text = aim.text(await configOf(admin, "AGENT"));
  const { hostile } = scene;
  for (const subject of aim.subjects) {
    hostile.publish(subject, text);
    for (const way of [...WAYS, ...(role.worker ? WAYS_OF_WORKERS : [])]) {
      await way(hostile, role, text, subject).catch(() => {});
      await hostile.flush();
      await pause(100);
    }
  }
  await pause(500);
  return aim.came(admin, scene);
}

type Way = (hostile: NatsConnection, role: Role, text: string, target: string) => Promise<unknown>;
const REFUSED_MS = 500;

const keep: Way = (hostile, { key }, text) =>
  hostile.request(`$KV.TOOL_LEDGER.${key}`, text, { timeout: REFUSED_MS });

/** The answer to a read, to a write, to a question: each on the subject that it asks for. */
const WAYS: readonly Way[] = [
  async (hostile, role, text, target) => {
    await keep(hostile, role, text, target);
    hostile.publish(`$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.${role.key}`, "", { reply: target });
  },
  async (hostile, { key }, text, target) =>
    hostile.publish(`$KV.TOOL_LEDGER.${key}`, text, { reply: target }),
  async (hostile, { queue }, text, target) =>
    hostile.publish(`tool.execute.${queue}`, text, { reply: target }),
  async (hostile, _, text, target) => hostile.publish("tool.list", text, { reply: target }),
  async (hostile, _, text, target) => hostile.publish("$JS.API.STREAM.INFO.AGENT", text, { reply: target }),
];

/** What a worker pulls, and what consumers that it makes deliver. */
const WAYS_OF_WORKERS: readonly Way[] = [
  async (hostile, { queue }, text, target) => {
    const consumer = `tool-exec-${queue.replaceAll("_", "-")}`;
    for (const [name, subject] of [
      [consumer, `tool.execute.${queue}`],
      [`${consumer}-from`, `tool.execute.${queue}.from.desk`],
    ] as const) {
      hostile.publish(subject, text);
      hostile.publish(`$JS.API.CONSUMER.MSG.NEXT.AGENT.${name}`, '{"batch":1,"expires":500000000}', {
        reply: target,
      });
    }
  },
  async (hostile, role, text, target) => {
    await keep(hostile, role, text, target);
    hostile.publish(
      "$JS.API.STREAM.MSG.GET.KV_TOOL_LEDGER",
      `{"last_by_subj":"$KV.TOOL_LEDGER.${role.key}"}`,
      {
        reply: target,
      },
    );
  },
  async (hostile, role, text, target) => {
    await keep(hostile, role, text, target);
    for (const stream of ["KV_TOOL_LEDGER", "KV_AGENT_WAITS", "AGENT"]) {
      const config = { name: "evil", deliver_subject: target, ack_policy: "none", deliver_policy: "all" };
      const body = JSON.stringify({ stream_name: stream, config });
      hostile.publish(`$JS.API.CONSUMER.CREATE.${stream}.evil`, body);
      hostile.publish(`$JS.API.CONSUMER.CREATE.${stream}`, body);
    }
  },
];

/** Workers share the waits: one of them writes that a call of another's tool was answered, and is to be queued again. */
function forgedWait({ name }: Role): Behaviour {
  return {
    name: `${name}: a wait of another worker's tool, answered`,
    async act({ hostile, effects }) {
      const now = Date.now();
      const fleet = {
        key: "desk.forged",
        executionId: "forged",
        subject: "tool.execute.send_mail.from.desk",
        text: CALL,
        attempt: 1,
        keptAt: now,
      };
      const id = "desk.forged:question-1";
      const wait = {
        ...{ id, kind: "question", executionId: "desk.forged", callId: "c", name: "send_mail" },
        ...{ createdAt: now, nextAt: 1, end: { how: "answered", at: now, value: "yes" }, fleet },
      };
      await hostile
        .request("$KV.AGENT_WAITS.desk=2eforged.question-1", JSON.stringify(wait), { timeout: REFUSED_MS })
        .catch(() => {});
      await pause(2_500);
      return effects.has(FORGED) ? `send_mail ran for ${BOSS}` : undefined;
    },
  };
}
