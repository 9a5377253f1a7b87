import { setTimeout as pause } from "node:timers/promises";
import { createInbox, headers, type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";

/** What somebody is going to do with a connection, as the lines of a server's configuration name it. */
export interface Needs {
  publish: readonly PublishNeed[];
  subscribe: readonly string[];
}

export interface PublishNeed {
  /** The line that allows it. */
  allow: string;
  /** A subject of it on which a message does nothing. */
  subject: string;
  /** Whether a stream takes it; then it is sent so that the stream refuses it. */
  stored?: boolean;
}

/** No stream has come so far. */
const NEVER = String(Number.MAX_SAFE_INTEGER);

/**
 * Tries everything, and throws `CONFIG_INVALID` with all that the server does not allow and the lines to add: later a server
 * says so only in passing, and what was not allowed looks like silence.
 */
export async function checkPermissions(connection: NatsConnection, needs: Needs): Promise<void> {
  const refused: PermissionViolationError[] = [];
  const listening = listen(connection, (error) => refused.push(error));
  const subscriptions = needs.subscribe.map((subject) => connection.subscribe(subject, { callback() {} }));
  for (const { subject, stored } of needs.publish) {
    const impossible = headers();
    impossible.set("Nats-Expected-Last-Subject-Sequence", NEVER);
    connection.publish(subject, "", stored === true ? { headers: impossible } : {});
  }
  // The server answers in order: what it refuses it has refused before this comes back.
  await connection.flush();
  await pause(0);
  listening.stop();
  for (const subscription of subscriptions) if (!subscription.isClosed()) subscription.unsubscribe();
  const publish = needs.publish.filter(({ subject }) => refused.some((each) => each.subject === subject));
  const subscribe = needs.subscribe.filter((subject) => refused.some((each) => each.subject === subject));
  if (publish.length + subscribe.length > 0)
    throw missing(
      connection,
      publish.map(({ allow }) => allow),
      subscribe,
    );
}

/** Throws `CONFIG_INVALID` when answers cannot reach this connection. */
export async function checkInbox(connection: NatsConnection, inboxPrefix: string | undefined): Promise<void> {
  const prefix = inboxPrefix ?? "_INBOX";
  let refused = false;
  const inbox = connection.subscribe(createInbox(prefix), {
    callback(error) {
      refused = error !== null;
    },
  });
  await connection.flush();
  if (!inbox.isClosed()) inbox.unsubscribe();
  if (!refused) return;
  const { message } = missing(connection, [], [`${prefix}.>`]);
  throw new ToolrigError(
    "CONFIG_INVALID",
    `${message} Or set nats.inboxPrefix to the prefix that this user may subscribe to.`,
  );
}

/** What to do about a refusal; undefined for any other error. The library wraps refusals in errors of several kinds. */
export function remedyOf(error: unknown): string | undefined {
  const said = /permissions violation for (publish|subscription) to "(\S+)"/i.exec(messageOf(error));
  const [, verb = "", subject = ""] = said ?? [];
  if (said === null) return undefined;
  const lines = verb.toLowerCase() === "publish" ? linesOf([subject], []) : linesOf([], [subject]);
  return `add ${lines} to this user's permissions`;
}

/** `CONFIG_INVALID` with the lines to add. */
export function missing(
  connection: NatsConnection,
  publish: readonly string[],
  subscribe: readonly string[],
): ToolrigError {
  const where = connection.getServer();
  const message = `The NATS server at ${where} does not allow this user all that it needs. Add to its permissions: ${linesOf(publish, subscribe)}.`;
  return new ToolrigError("CONFIG_INVALID", message, { details: { publish, subscribe } });
}

function linesOf(publish: readonly string[], subscribe: readonly string[]): string {
  const line = (verb: string, subjects: readonly string[]) =>
    subjects.length === 0
      ? []
      : [`${verb}: { allow: [${subjects.map((each) => JSON.stringify(each)).join(", ")}] }`];
  return [...line("publish", publish), ...line("subscribe", subscribe)].join(", ");
}

function listen(
  connection: NatsConnection,
  told: (error: PermissionViolationError) => void,
): { stop(): void } {
  const status = connection.status();
  let on = true;
  void (async () => {
    for await (const event of status) {
      if (!on) return;
      if (event.type === "error" && event.error instanceof PermissionViolationError) told(event.error);
    }
  })();
  return {
    stop() {
      on = false;
    },
  };
}
