import {
  DiscardPolicy,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { Duration } from "@toolrig/core";
import {
  type Checks,
  declareOptions,
  formatDuration,
  type OptionTable,
  option,
  parseDuration,
} from "@toolrig/core/kit";
import { SUBJECT } from "../wire/names.ts";
import { broken, bucket, ensureStream } from "../wire/streams.ts";

/** What a fleet keeps on its server, and how long. */
export interface FleetOptions {
  /** The stream that calls wait in. Default "AGENT". */
  stream?: string;
  /** The bucket that holds one entry an execution. Default "TOOL_LEDGER". */
  ledger?: string;
  /** How long outcomes are kept. A call waits for a worker for at most half as long, and no tool may take longer. Default "24h". */
  ledgerTtl?: Duration;
  /** Calls of a queue that may wait at once; beyond it callers are told to come back later. Default 100,000. */
  maxQueued?: number;
  /** Copies of everything. Three in a cluster of three. Default 1. */
  replicas?: number;
  /** How long a worker may be silent about a call before another asks for it. Default "2s". */
  ackWait?: Duration;
}

export interface FleetNames {
  stream: string;
  ledger: string;
  deadLetters: string;
  workers: string;
  objects: string;
  waits: string;
  replicas: number;
  ackWaitMs: number;
  ledgerTtlMs: number;
  /** How long a call stays in the queue. Never longer than the ledger remembers that it was withdrawn. */
  queueTtlMs: number;
}

const MIN_ACK_WAIT_MS = 150;
const NAME = "a name of letters, digits, _ and -";

/** An option that holds the name of a stream or a bucket. */
export function nameOption(usual: string) {
  const isName = (value: unknown) => typeof value === "string" && /^[A-Za-z0-9_-]+$/.test(value);
  return option.that<string, { default: string }>(NAME, isName, { default: usual });
}

export const fleetOptions = declareOptions("a fleet", {
  stream: nameOption("AGENT"),
  ledger: nameOption("TOOL_LEDGER"),
  ledgerTtl: option.duration({ default: "24h" }),
  maxQueued: option.count(1, { default: 100_000 }),
  replicas: option.count(1, { default: 1 }),
  ackWait: option.checked("a duration of at least 150ms", checkAckWait, { default: "2s" as Duration }),
} satisfies OptionTable<FleetOptions>);

function checkAckWait(field: string, value: unknown, checks: Checks): void {
  checks.duration(field, value, { zero: false, long: false });
  if (parseDuration(value as Duration, field) < MIN_ACK_WAIT_MS)
    throw checks.invalid(field, `at least ${MIN_ACK_WAIT_MS}ms`, value);
}

/** How many queues may be full before the whole stream is. */
const SUBJECTS = 10;

/** What a fleet is called and how long things last there. Throws `OPTION_INVALID`, naming the option. */
function fleetNames(options: FleetOptions): FleetNames {
  const { stream, ledger, replicas, ackWait, ledgerTtl } = fleetOptions.withDefaults(options);
  const ledgerTtlMs = parseDuration(ledgerTtl, "ledgerTtl");
  return {
    stream,
    ledger,
    deadLetters: `${stream}_DLQ`,
    workers: `${stream}_WORKERS`,
    objects: `${stream}_OBJECTS`,
    waits: `${stream}_WAITS`,
    replicas,
    ackWaitMs: parseDuration(ackWait, "ackWait"),
    ledgerTtlMs,
    queueTtlMs: ledgerTtlMs / 2,
  };
}

/**
 * Creates what a fleet needs, or checks what is there. A server that does not know a setting drops it without a word,
 * so what it echoes is compared with what was asked. Throws `CONFIG_INVALID`, saying what is wrong.
 */
export async function setUp(connection: NatsConnection, options: FleetOptions): Promise<FleetNames> {
  const asked = fleetNames(options);
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const ledgerTtlMs = await ensureLedger(manager, asked);
  const queueTtlMs = await ensureCallStream(
    manager,
    { ...asked, ledgerTtlMs },
    options.maxQueued ?? fleetOptions.defaults.maxQueued,
  );
  const names = { ...asked, ledgerTtlMs, queueTtlMs };
  const num_replicas = names.replicas;
  await ensureStream(manager, {
    name: names.deadLetters,
    subjects: [`${SUBJECT.deadLetter}.>`],
    storage: StorageType.File,
    num_replicas,
    max_age: nanos(parseDuration("7d", "max_age")),
    discard: DiscardPolicy.Old,
    max_msgs: 100_000,
  });
  await ensureStream(manager, bucket(names.workers, { max_age: nanos(15_000), num_replicas }));
  // What is large is kept a little longer than the entries that name it.
  const max_age = Number.isFinite(names.ledgerTtlMs) ? nanos(names.ledgerTtlMs + 3_600_000) : 0;
  await ensureStream(manager, bucket(names.objects, { max_age, num_replicas }));
  // What calls wait for outlasts their entries. It is written to now and then for as long as it is waited for.
  const waits_age = Number.isFinite(names.ledgerTtlMs) ? nanos(2 * names.ledgerTtlMs) : 0;
  await ensureStream(manager, bucket(names.waits, { max_age: waits_age, num_replicas }));
  return names;
}

/** Returns how long calls stay in it, in milliseconds. */
async function ensureCallStream(
  manager: JetStreamManager,
  names: FleetNames,
  maxQueued: number,
): Promise<number> {
  const calls = `${SUBJECT.execute}.>`;
  const config = await ensureStream(manager, {
    name: names.stream,
    subjects: [calls],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    // Counted by subject: calls of one tool, or on a subject that nobody takes, leave room for those of others.
    max_msgs_per_subject: maxQueued,
    discard_new_per_subject: true,
    max_msgs: SUBJECTS * maxQueued,
    max_age: nanos(names.queueTtlMs),
    duplicate_window: nanos(Math.min(names.queueTtlMs, 120_000)),
    storage: StorageType.File,
    num_replicas: names.replicas,
  });
  if (config.subjects.some((subject) => subject === "tool.>" || subject === ">")) {
    throw broken(
      names.stream,
      `it captures ${config.subjects.join(", ")}, which takes results and questions between workers too; it must capture ${calls}`,
    );
  }
  if (!config.subjects.includes(calls)) {
    throw broken(names.stream, `it captures ${config.subjects.join(", ")} and not ${calls}`);
  }
  if (config.retention !== RetentionPolicy.Workqueue) {
    throw broken(
      names.stream,
      `its retention is ${config.retention} and must be workqueue, or calls would run again after a restart`,
    );
  }
  if (config.discard !== DiscardPolicy.New) {
    throw broken(names.stream, "it discards old messages when full, and a queued call must never vanish");
  }
  const queueTtlMs = ageOf(config);
  if (queueTtlMs > names.ledgerTtlMs) {
    const kept = formatDuration(names.ledgerTtlMs);
    throw broken(
      names.stream,
      `it keeps calls longer than the ledger keeps outcomes (${kept}), so that a withdrawn call could still run; shorten that (nats stream edit ${names.stream} --max-age=${formatDuration(names.ledgerTtlMs / 2)})`,
    );
  }
  return queueTtlMs;
}

/** How long a stream keeps a message, in milliseconds. */
function ageOf({ max_age }: { max_age: number }): number {
  return max_age === 0 ? Number.POSITIVE_INFINITY : max_age / 1_000_000;
}

/** Returns how long it keeps an outcome, in milliseconds. */
async function ensureLedger(manager: JetStreamManager, names: FleetNames): Promise<number> {
  const dest = `${SUBJECT.result}.>`;
  const config = await ensureStream(
    manager,
    bucket(names.ledger, {
      max_age: nanos(names.ledgerTtlMs),
      num_replicas: names.replicas,
      republish: { src: `$KV.${names.ledger}.>`, dest },
    }),
  );
  if (config.republish?.dest !== dest) {
    throw broken(
      `KV_${names.ledger}`,
      `it does not republish its entries to ${dest}; edit it so that it does, or choose another ledger`,
    );
  }
  if (config.max_msgs_per_subject !== 1 || !config.allow_direct) {
    throw broken(`KV_${names.ledger}`, "it must keep one entry a key and allow direct reads");
  }
  return ageOf(config);
}
