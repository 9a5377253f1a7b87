import { AckPolicy, type ConsumerConfig, type JetStreamManager } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import { consumerName, executeSubject, hashedConsumerName, type Queue } from "../../wire/names.ts";
import { isMissing } from "../../wire/streams.ts";

export interface ConsumerOptions {
  stream: string;
  suffix: string;
  ackWaitMs: number;
  /** How many calls of the queue may run at once in the whole fleet. Undefined: any number. */
  concurrency: number | undefined;
}

/**
 * Makes the durable consumer of a queue, or brings the one that is there up to date. Returns its name: dots, underscores
 * and dashes look alike in it, and where another tool has the plain name already, this one gets a hash of its own.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  queue: Queue,
  options: ConsumerOptions,
): Promise<string> {
  const { name, major, priority, imported } = queue;
  const plain = consumerName(name, major, options.suffix, priority, imported);
  if (await ensure(manager, plain, queue, options)) return plain;
  const hashed = hashedConsumerName(name, major, options.suffix, priority, imported);
  if (await ensure(manager, hashed, queue, options)) return hashed;
  throw new Error(`the consumers ${plain} and ${hashed} both belong to other subjects`);
}

/** False when the name belongs to another subject. */
async function ensure(
  manager: JetStreamManager,
  consumer: string,
  queue: Queue,
  { stream, ackWaitMs, concurrency }: ConsumerOptions,
): Promise<boolean> {
  const limits = {
    ack_wait: nanos(ackWaitMs),
    // What waits for an acknowledgement is what runs: a tool's concurrency holds across the whole fleet.
    max_ack_pending: concurrency ?? 65_536,
  };
  let known = await configOf(manager, stream, consumer);
  if (known === undefined) {
    const add = () =>
      manager.consumers.add(stream, {
        durable_name: consumer,
        filter_subject: executeSubject(queue),
        ack_policy: AckPolicy.Explicit,
        max_deliver: -1,
        ...limits,
      });
    try {
      await add();
      return true;
    } catch (error) {
      // Another worker may have made it in this very moment.
      known = await configOf(manager, stream, consumer);
      if (known === undefined) {
        if (!isNotUnique(error) || !(await removeUnused(manager, stream, queue)))
          throw refusal(queue, stream, error);
        await add();
        return true;
      }
    }
  }
  if (known.filter_subject !== executeSubject(queue)) return false;
  if (known.max_ack_pending !== limits.max_ack_pending || known.ack_wait !== limits.ack_wait)
    await manager.consumers.update(stream, consumer, limits);
  return true;
}

async function configOf(
  manager: JetStreamManager,
  stream: string,
  consumer: string,
): Promise<ConsumerConfig | undefined> {
  try {
    return (await manager.consumers.info(stream, consumer)).config;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const NOT_UNIQUE = 10100;
const TOO_MANY = 10026;

/** What to say when the server takes no more consumers. */
export function tooManyConsumers(
  error: unknown,
  { stream, needed, made }: { stream: string; needed: number; made: number },
): unknown {
  if ((error as { code?: number }).code !== TOO_MANY) return error;
  const message = `The server takes no more consumers of stream ${stream}: this worker needs ${needed} (one a tool, one more a major version, three times that with priorities) and could have ${made}. Raise max_consumers, turn priorities off, or give a fleet of its own to some of the tools.`;
  return new ToolrigError("CONFIG_INVALID", message, { cause: error });
}

const isNotUnique = (error: unknown) => (error as { code?: number }).code === NOT_UNIQUE;

/** Between two looks at a consumer: a worker that serves it asks for calls again within this time. */
const LOOK_AGAIN_MS = 500;

/**
 * Removes the consumer under another suffix that takes the calls of a queue, if no worker serves it: none asks for calls, and none
 * runs one. Calls that wait stay in the stream. False when it is in use.
 */
async function removeUnused(manager: JetStreamManager, stream: string, queue: Queue): Promise<boolean> {
  const subject = executeSubject(queue);
  for await (const { name, config } of manager.consumers.list(stream)) {
    if (config.filter_subject !== subject) continue;
    for (const pauseMs of [0, LOOK_AGAIN_MS]) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const { num_waiting, num_ack_pending } = await manager.consumers.info(stream, name);
      if (num_waiting > 0 || num_ack_pending > 0) return false;
    }
    return manager.consumers.delete(stream, name);
  }
  return false;
}

function refusal({ name }: Queue, stream: string, cause: unknown): unknown {
  if (!isNotUnique(cause)) return cause;
  const message = `Another consumer of stream ${stream} takes the calls of ${name} already. Workers of a tool must have the same consumer_name_suffix; delete the other consumer if it is not used any more.`;
  return new ToolrigError("CONFIG_INVALID", message, { cause });
}
