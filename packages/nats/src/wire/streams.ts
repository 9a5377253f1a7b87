import {
  DiscardPolicy,
  type JetStreamManager,
  jetstreamManager,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos, TimeoutError } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { remedyOf } from "./permissions.ts";

/** Streams as they are asked of the server. */

type Wanted = Partial<StreamConfig> & { name: string; subjects: string[] };

/** The stream behind a key-value bucket, with what only a direct look at the config shows. */
export function bucket(
  name: string,
  more: Partial<StreamConfig> & { max_age: number; num_replicas: number },
): Wanted {
  return {
    name: `KV_${name}`,
    subjects: [`$KV.${name}.>`],
    storage: StorageType.File,
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.New,
    allow_direct: true,
    deny_delete: true,
    ...(more.max_age > 0 && { duplicate_window: Math.min(more.max_age, nanos(120_000)) }),
    ...more,
  };
}

/**
 * The config of a stream that is there, or is made. Who may not make streams can use those that are there.
 *
 * Permissions are about subjects, and with some settings of a stream a header reaches beyond the subject it comes on: with
 * roll-ups, whoever may write one key can delete all others; with schedules, the server writes any key for them. No stream
 * of ours has them, and one that has is changed, or refused where this user may not change it.
 */
export async function ensureStream(manager: JetStreamManager, wanted: Wanted): Promise<StreamConfig> {
  const config = await findOrMake(manager, wanted);
  const { name } = wanted;
  if (config.allow_msg_schedules === true)
    throw broken(
      name,
      "its messages can make the server write any other (allow_msg_schedules), which cannot be turned off; delete it, so that it is made anew, or choose another name",
    );
  checkCopies(config, wanted);
  if (!config.allow_rollup_hdrs) return config;
  try {
    return (await manager.streams.update(name, { allow_rollup_hdrs: false })).config;
  } catch (cause) {
    const why = `one message with the header Nats-Rollup would delete all others; turn that off (nats stream edit ${name} --no-allow-rollup), or let an admin connect first`;
    throw broken(name, why, cause);
  }
}

/** How often a server is asked that does not answer in time: a cluster may be about to choose a leader. */
const TRIES = 6;

/** What somebody said on another subject, or to another stream, is not to be taken for what was said here. */
function checkCopies(
  { name, mirror, sources, subject_transform, republish }: StreamConfig,
  wanted: Wanted,
): void {
  if (mirror !== undefined || (sources ?? []).length > 0)
    throw broken(
      name,
      "it copies other streams (mirror or sources); edit it so that it does not, or delete it",
    );
  if ((subject_transform?.dest ?? "") !== "")
    throw broken(
      name,
      "it changes the subjects of its messages (subject_transform); edit it so that it does not",
    );
  if (republish !== undefined && wanted.republish === undefined)
    throw broken(name, `it republishes its messages to ${republish.dest}; edit it so that it does not`);
}

async function findOrMake(manager: JetStreamManager, wanted: Wanted): Promise<StreamConfig> {
  for (let tries = 1; ; tries++) {
    try {
      return (await manager.streams.info(wanted.name)).config;
    } catch (error) {
      if (isSilent(error) && tries < TRIES) continue;
      if (!isMissing(error)) throw broken(wanted.name, reasonOf(error), error);
    }
    try {
      return (await manager.streams.add(wanted)).config;
    } catch (cause) {
      // Another process may have made it in this very moment.
      const known = await manager.streams.info(wanted.name).catch(() => undefined);
      if (known !== undefined) return known.config;
      if (!isSilent(cause) || tries === TRIES) throw broken(wanted.name, reasonOf(cause), cause);
    }
  }
}

function isSilent(error: unknown): boolean {
  return error instanceof TimeoutError || (error as Error).cause instanceof TimeoutError;
}

/** The stream of a limit, which follows what workers say: whoever starts last is right. */
export async function ensureLimitStream(
  connection: NatsConnection,
  limits: Wanted & { max_age: number },
): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const wanted = { ...limits, duplicate_window: Math.min(limits.max_age, nanos(120_000)) };
  const known = await ensureStream(manager, wanted);
  const { name, storage: _, ...changes } = wanted;
  if (known.max_msgs === (wanted.max_msgs ?? -1) && known.max_age === wanted.max_age) return;
  await manager.streams.update(name, changes).catch((error: unknown) => {
    throw broken(name, reasonOf(error), error);
  });
}

export function isMissing(error: unknown): boolean {
  const { code, message } = error as { code?: number; message?: string };
  return code === 10059 || code === 10014 || /(stream|consumer) not found/i.test(message ?? "");
}

function reasonOf(error: unknown): string {
  const message = messageOf(error);
  const remedy = remedyOf(error);
  if (remedy !== undefined && message.includes(".STREAM.CREATE."))
    return `it is not there and this user may not make it (${message}); let an admin connect first, or ${remedy}`;
  if (remedy !== undefined) return `${message}; ${remedy}`;
  return /no responders|jetstream (is )?not enabled/i.test(message)
    ? `${message}; start nats-server with -js`
    : message;
}

export function broken(name: string, why: string, cause?: unknown): ToolrigError {
  return new ToolrigError("CONFIG_INVALID", `The JetStream stream ${name} cannot be used: ${why}.`, {
    cause,
  });
}
