/** The cheapest acknowledged publish that the client library allows: one inbox for all answers, and a map. */
import { createInbox, headers, type NatsConnection } from "@nats-io/transport-node";

export type Publish = (subject: string, data: string, expected?: number) => Promise<number>;

/** Resolves with the sequence that the server gave the message; `expected` makes it a compare-and-set. */
export function ackedPublish(connection: NatsConnection): Publish {
  const inbox = `${createInbox()}.`;
  const waiting = new Map<string, (seq: number) => void>();
  connection.subscribe(`${inbox}*`, {
    callback: (_error, message) => {
      const id = message.subject.slice(inbox.length);
      waiting.get(id)?.(message.json<{ seq: number }>().seq);
      waiting.delete(id);
    },
  });
  let count = 0;
  return (subject, data, expected) =>
    new Promise((resolve) => {
      count += 1;
      const id = String(count);
      waiting.set(id, resolve);
      const reply = inbox + id;
      if (expected === undefined) {
        connection.publish(subject, data, { reply });
        return;
      }
      const fields = headers();
      fields.append("Nats-Expected-Last-Subject-Sequence", String(expected));
      connection.publish(subject, data, { reply, headers: fields });
    });
}
