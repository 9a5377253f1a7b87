import {
  DiscardPolicy,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { type Duration, parseDuration, ToolrigError } from "@toolrig/core";
import { SUBJECT } from "./names.ts";

/** What a fleet keeps on its server, and how long. */
export interface FleetOptions {
  /** The stream that calls wait in. Default "AGENT". */
  stream?: string;
  /** The bucket that holds one entry an execution. Default "TOOL_JOURNAL". */
  journal?: string;
  /** How long outcomes are kept. Default "24h". */
  journalTtl?: Duration;
  /** Calls that may wait at once; beyond it callers are told to come back later. Default 100,000. */
  maxQueued?: number;
  /** Copies of everything. Three in a cluster of three. Default 1. */
  replicas?: number;
  /** How long a worker may be silent about a call before another asks for it. Default "2s". */
  ackWait?: Duration;
}

export interface FleetNames {
  stream: string;
  journal: string;
  deadLetters: string;
  workers: string;
  objects: string;
  replicas: number;
  ackWaitMs: number;
}

export function namesOf(options: FleetOptions): FleetNames {
  const { stream = "AGENT", journal = "TOOL_JOURNAL", replicas = 1, ackWait = "2s" } = options;
  return {
    stream,
    journal,
    deadLetters: `${stream}_DLQ`,
    workers: `${stream}_WORKERS`,
    objects: `${stream}_OBJECTS`,
    replicas,
    ackWaitMs: parseDuration(ackWait, "ackWait"),
  };
}

/**
 * Creates what a fleet needs, or checks what is there. A server that does not know a setting drops it without a word,
 * so what it echoes is compared with what was asked.
 */
export async function setUp(connection: NatsConnection, options: FleetOptions): Promise<FleetNames> {
  const names = namesOf(options);
  const manager = await jetstreamManager(connection);
  await ensureCallStream(manager, names, options.maxQueued ?? 100_000);
  await ensureStream(manager, {
    name: names.deadLetters,
    subjects: [`${SUBJECT.deadLetter}.>`],
    storage: StorageType.File,
    num_replicas: names.replicas,
    max_age: nanos(parseDuration("7d", "max_age")),
  });
  await ensureJournal(connection, manager, names, parseDuration(options.journalTtl ?? "24h", "journalTtl"));
  await new Kvm(connection).create(names.workers, {
    history: 1,
    ttl: 15_000,
    storage: StorageType.Memory,
    replicas: names.replicas,
    allow_direct: true,
  });
  return names;
}

async function ensureCallStream(
  manager: JetStreamManager,
  names: FleetNames,
  maxQueued: number,
): Promise<void> {
  const subjects = [`${SUBJECT.execute}.>`];
  const config = await ensureStream(manager, {
    name: names.stream,
    subjects,
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_msgs: maxQueued,
    storage: StorageType.File,
    num_replicas: names.replicas,
    duplicate_window: nanos(120_000),
  });
  if (
    !config.subjects.some((subject) => subject === subjects[0] || subject === "tool.>" || subject === ">")
  ) {
    throw broken(names.stream, `it captures ${config.subjects.join(", ")} and not ${subjects[0]}`);
  }
  if (config.retention !== RetentionPolicy.Workqueue) {
    throw broken(
      names.stream,
      `its retention is ${config.retention} and must be workqueue, or calls would run again after a restart`,
    );
  }
}

async function ensureJournal(
  connection: NatsConnection,
  manager: JetStreamManager,
  names: FleetNames,
  ttlMs: number,
): Promise<void> {
  const source = `$KV.${names.journal}.>`;
  await new Kvm(connection).create(names.journal, {
    history: 1,
    ttl: ttlMs,
    storage: StorageType.File,
    replicas: names.replicas,
    allow_direct: true,
    republish: { src: source, dest: `${SUBJECT.result}.>` },
  });
  const { config } = await manager.streams.info(`KV_${names.journal}`);
  if (config.republish?.dest !== `${SUBJECT.result}.>`) {
    throw broken(
      names.journal,
      "the server does not republish its entries; nats-server 2.10 or later is needed",
    );
  }
}

type Wanted = Partial<StreamConfig> & { name: string; subjects: string[] };

async function ensureStream(manager: JetStreamManager, wanted: Wanted): Promise<StreamConfig> {
  try {
    return (await manager.streams.info(wanted.name)).config;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    return (await manager.streams.add(wanted)).config;
  } catch (cause) {
    const known = await manager.streams.info(wanted.name).catch(() => undefined);
    if (known !== undefined) return known.config;
    throw broken(wanted.name, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function isMissing(error: unknown): boolean {
  return (
    (error as { code?: number }).code === 10059 || /stream not found/i.test(String((error as Error).message))
  );
}

function broken(name: string, why: string, cause?: unknown): ToolrigError {
  return new ToolrigError("CONFIG_INVALID", `The JetStream stream ${name} cannot be used: ${why}.`, {
    cause,
  });
}
