import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import { defined, messageOf } from "@toolrig/core/kit";

/** Subscriptions that the server refused. */
export type Refusals = ToolrigError[];

export interface ListenOptions {
  queue?: string;
  /** Where it is noted when the server does not allow it. */
  refusals?: Refusals;
}

/**
 * Subscribes. The client stops reading from its connection when a callback throws, so nothing does here: a message that a
 * handler chokes on is dropped, and a subscription that the server refuses is noted with its subject.
 */
export function listen(
  connection: NatsConnection,
  subject: string,
  handle: (message: Msg) => void,
  { queue, refusals }: ListenOptions = {},
): Subscription {
  return connection.subscribe(subject, {
    ...defined({ queue }),
    callback(error, message) {
      if (error !== null) {
        refusals?.push(refusal(subject, error));
        return;
      }
      try {
        handle(message);
      } catch {
        // Whoever sent it gets no answer to it.
      }
    },
  });
}

/** Resolves when the server has taken all that was subscribed to. Throws `CONFIG_INVALID`, naming what it refused. */
export async function accepted(connection: NatsConnection, refusals: Refusals): Promise<void> {
  await connection.flush();
  const [first] = refusals;
  if (first !== undefined) throw first;
}

function refusal(subject: string, cause: Error): ToolrigError {
  const message = `The NATS server does not let this connection subscribe to ${subject}: ${messageOf(cause)}. Add it to what its user may subscribe to.`;
  return new ToolrigError("CONFIG_INVALID", message, { cause });
}
