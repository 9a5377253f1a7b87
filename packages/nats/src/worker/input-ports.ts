import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import { messageOf } from "@toolrig/core/kit";
import type { AckedPublisher } from "../wire/acked-publisher.ts";
import { answer } from "../wire/answer.ts";
import { readExecuteSubject, SUBJECT } from "../wire/names.ts";
import { isRelayed } from "../wire/relayed.ts";

const isImported = (subject: string) => readExecuteSubject(subject)?.account !== undefined;

/**
 * Takes calls from subjects of the configuration's own and puts them into the queue: `my.calls.file_read` becomes
 * `tool.execute.file_read`. Who published one with a reply is told, as by a stream, that it is stored. Of all workers that
 * listen to a subject one takes a call.
 */
export function listenToPorts(
  connection: NatsConnection,
  publisher: AckedPublisher,
  prefixes: readonly string[],
): () => void {
  const forward = async (rest: string, data: Uint8Array, tell: (text: string) => void) => {
    try {
      // The worker may say so of calls that it puts back; who publishes on a port may not.
      if (isImported(`${SUBJECT.execute}.${rest}`)) throw new Error("an account cannot be named here");
      const { said } = await publisher.publish(`${SUBJECT.execute}.${rest}`, data);
      tell(Buffer.from(said).toString());
    } catch (error) {
      tell(JSON.stringify({ error: { code: 503, description: messageOf(error) } }));
    }
  };
  const subscriptions = prefixes.map(
    (prefix): Subscription =>
      connection.subscribe(`${prefix}.>`, {
        queue: "tool-ports",
        callback(error, message) {
          if (error !== null || isRelayed(message.headers)) return;
          const tell = (text: string) => {
            if (!connection.isClosed()) answer(message, text);
          };
          void forward(message.subject.slice(prefix.length + 1), message.data, tell).catch(() => {});
        },
      }),
  );
  return () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
}
