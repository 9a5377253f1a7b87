import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { isRelayed, wasRelayed } from "../wire/relayed.ts";

/** What is written into the bucket of cards: a worker's card, or nothing when it is gone. */
export interface CardChange {
  worker: string;
  data: Uint8Array | undefined;
}

/**
 * Tells of the cards that are there, and of every change until the returned function is called. Cards are shown anew all the
 * time, so whoever misses one hears the next: that takes a subscription and reads, and no consumer on the server.
 */
export async function watchCards(
  connection: NatsConnection,
  bucket: string,
  listener: (change: CardChange) => void,
): Promise<() => void> {
  const prefix = `$KV.${bucket}.`;
  let refusal: Error | undefined;
  const tell = (subject: string, headers: MsgHdrs | undefined, data: Uint8Array) => {
    const gone = headers?.has("KV-Operation") || headers?.has("Nats-Marker-Reason");
    listener({ worker: subject.slice(prefix.length), data: gone ? undefined : data });
  };
  const subscription = connection.subscribe(`${prefix}*`, {
    callback(error, message) {
      if (error !== null) refusal = error;
      else if (!isRelayed(message.headers)) tell(message.subject, message.headers, message.data);
    },
  });
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const list = async () => {
    for (const subject of await subjectsOf(manager, bucket)) {
      const stored = await manager.direct.getMessage(`KV_${bucket}`, { last_by_subj: subject });
      if (stored !== null && !wasRelayed(stored.header, "replica")) tell(subject, stored.header, stored.data);
    }
  };
  // The server has answered the subscription before it answers this.
  await connection.flush();
  if (refusal !== undefined) throw refusal;
  await list();
  void (async () => {
    for await (const { type } of connection.status()) if (type === "reconnect") await list().catch(() => {});
  })();
  return () => {
    subscription.unsubscribe();
  };
}

async function subjectsOf(manager: JetStreamManager, bucket: string): Promise<string[]> {
  const { state } = await manager.streams.info(`KV_${bucket}`, { subjects_filter: `$KV.${bucket}.>` });
  return Object.keys(state.subjects ?? {});
}
