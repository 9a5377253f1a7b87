import {
  type ConnectionOptions,
  connect,
  type NatsConnection,
  nkeyAuthenticator,
} from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import { check, option } from "@toolrig/core/kit";
import { isInbox } from "./answer.ts";
import { readSeed } from "./nkeys.ts";
import { checkInbox } from "./permissions.ts";
import { within } from "./retrying.ts";

/**
 * Connection options as the client library takes them (servers, tls, user and password, token, authenticator), over
 * defaults for work that must survive: reconnect for ever, notice a dead peer within seconds, no stack trace a request.
 */
export interface NatsOptions extends ConnectionOptions {
  /**
   * The seed of the NKey, `SU…`, to log in with. Answers then come to inboxes that begin with `_INBOX_` and the public key, unless
   * `inboxPrefix` says otherwise.
   */
  seed?: string;
}

/** What the inboxes of a user begin with that has some of its own, by its name or public key. */
export const inboxesOf = (user: string) => `_INBOX_${user}`;

/** The options as the client library takes them. Throws `OPTION_INVALID` for a seed that is none, or beside an authenticator. */
export function withoutSeed({ seed, ...options }: NatsOptions): ConnectionOptions {
  if (seed === undefined) return options;
  if (options.authenticator !== undefined)
    throw check.invalid("nats.seed", "left out beside an authenticator", "both");
  const { publicKey } = readSeed("nats.seed", seed);
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(seed));
  return { inboxPrefix: inboxesOf(publicKey), ...options, authenticator };
}

/** An option that holds those of a connection. */
export function natsOption() {
  return option.object<NatsOptions, { required: true }>("options of a connection, such as { servers }", {
    required: true,
  });
}

const DEFAULTS: ConnectionOptions = {
  reconnect: true,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 100,
  reconnectJitter: 100,
  pingInterval: 2_000,
  maxPingOut: 2,
  timeout: 5_000,
  noAsyncTraces: true,
};

/** Older servers are refused. */
const LEAST = { major: 2, minor: 10 };

/** What an entry, a card and a piece of a large text need beside their headers. */
const MIN_PAYLOAD = 16_384;

/**
 * Throws `OPTION_INVALID` for a prefix that is none of inboxes, `STORE_FAILED` when there is no server, and `CONFIG_INVALID`
 * when it is unfit or lets no answers through.
 */
export async function open(given: NatsOptions, name: string): Promise<NatsConnection> {
  const options = withoutSeed(given);
  checkInboxPrefix(options.inboxPrefix);
  const connection = await reach(options, name);
  try {
    checkServer(connection);
    await checkInbox(connection, options.inboxPrefix);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function checkServer(connection: NatsConnection): void {
  const { version = "", max_payload = MIN_PAYLOAD } = connection.info ?? {};
  const where = connection.getServer();
  if (isTooOld(version))
    throw new ToolrigError(
      "CONFIG_INVALID",
      `The server at ${where} is nats-server ${version}; ${LEAST.major}.${LEAST.minor} or later is needed.`,
    );
  if (max_payload < MIN_PAYLOAD)
    throw new ToolrigError(
      "CONFIG_INVALID",
      `The server at ${where} takes messages of ${max_payload} bytes at most; ${MIN_PAYLOAD} are needed. Raise its max_payload.`,
    );
}

/** Workers answer inboxes and nothing else, and who hears no answer takes a worker for lost. */
function checkInboxPrefix(prefix: string | undefined): void {
  if (prefix === undefined || isInbox(prefix)) return;
  throw check.invalid("nats.inboxPrefix", 'a prefix that begins with _, such as "_INBOX_desk"', prefix);
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < LEAST.major || (major === LEAST.major && minor < LEAST.minor);
}

async function reach(options: ConnectionOptions, name: string): Promise<NatsConnection> {
  try {
    return await connect({ ...DEFAULTS, name, ...options });
  } catch (cause) {
    const where = Array.isArray(options.servers)
      ? options.servers.join(", ")
      : (options.servers ?? "127.0.0.1:4222");
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolrigError(
      "STORE_FAILED",
      `No connection to NATS at ${where}: ${why}. Is nats-server running with -js?`,
      { cause },
    );
  }
}

/** How long a server may take to hear of a farewell. */
const GOODBYE_MS = 2_000;

/** Closes a connection once what was sent has arrived. One whose server is away would be made again for ever. */
export async function leave(connection: NatsConnection): Promise<void> {
  await within(GOODBYE_MS, connection.drain()).catch(() => {});
  await connection.close();
}
