import { type JetStreamManager, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Principal, ToolrigError } from "@toolrig/core";
import { messageOf, newId, parseStrict } from "@toolrig/core/kit";
import { AckedPublisher } from "../wire/acked-publisher.ts";
import { leave, type NatsOptions, open, withoutSeed } from "../wire/connection.ts";
import { readReference } from "../wire/messages.ts";
import { keyOf, readExecuteSubject, SUBJECT, token } from "../wire/names.ts";
import { Payloads } from "../wire/payload.ts";
import { type Signer, signerOf } from "../wire/signature.ts";
import { type FleetNames, type FleetOptions, setUp } from "./setup.ts";

/** A call that no worker will run any more, with the reason. */
export interface DeadLetter {
  /** Its number in the dead-letter stream. */
  seq: number;
  tool: string;
  reason: string;
  /** The subject it came on, and goes back to. */
  origin: string;
  at: number;
  body: string;
  /** Workers took it for no call of whom it says, or it was not put aside by workers of its tool. */
  refused: boolean;
}

/** Puts a message aside. The same message is put aside once, however often it is delivered. */
export async function bury(
  publisher: AckedPublisher,
  message: { subject: string; data: Uint8Array },
  { tool, reason, id }: { tool: string; reason: string; id: string },
): Promise<void> {
  await publisher.publish(`${SUBJECT.deadLetter}.${token(tool).slice(0, 200)}`, message.data, {
    "Nats-Msg-Id": `dlq-${headerValue(id)}`,
    "Tool-Name": headerValue(tool),
    "Tool-Reason": headerValue(reason),
    "Tool-Origin": message.subject,
  });
}

/** A header holds one line; what came from outside may hold anything. */
function headerValue(text: string): string {
  return text.replaceAll(/[\r\n\0]+/g, " ").slice(0, 500);
}

/** Looks at what was put aside, and sends it on its way again or drops it. */
export class DeadLetters {
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #stream: string;
  readonly #publisher: AckedPublisher;
  readonly #payloads: Payloads;
  readonly #caller: string | undefined;
  readonly #signer: Signer | undefined;

  private constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    names: FleetNames,
    publisher: AckedPublisher,
    { caller, signer }: { caller: string | undefined; signer: string | undefined },
  ) {
    this.#caller = caller;
    this.#signer = signer === undefined ? undefined : signerOf(signer);
    this.#connection = connection;
    this.#manager = manager;
    this.#stream = names.deadLetters;
    this.#publisher = publisher;
    this.#payloads = new Payloads(connection, { ...names, from: "leader" });
  }

  static async connect({
    nats,
    fleet = {},
    caller,
    signer,
  }: {
    nats: NatsOptions;
    fleet?: FleetOptions;
    /** The operator's name as a caller, and the seed of the NKey that workers know it by. */
    caller?: string;
    signer?: string;
  }): Promise<DeadLetters> {
    const connection = await open(nats, newId("dlq"));
    try {
      const names = await setUp(connection, fleet);
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const publisher = new AckedPublisher(connection, withoutSeed(nats));
      return new DeadLetters(connection, manager, names, publisher, { caller, signer });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Oldest first. */
  async list(limit = 100): Promise<DeadLetter[]> {
    const { state } = await this.#manager.streams.info(this.#stream);
    const letters: DeadLetter[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq && letters.length < limit; seq++) {
      const stored = await this.#read(seq);
      if (stored !== null) letters.push(asLetter(stored));
    }
    return letters;
  }

  async show(seq: number): Promise<DeadLetter> {
    const stored = await this.#read(seq);
    if (stored === null)
      throw new ToolrigError("OPTION_INVALID", `There is no dead letter ${seq}. List them first.`);
    return asLetter(stored);
  }

  /**
   * Back into the queue, as an execution of its own: the old one has its outcome, and that stands. Returns the new
   * execution's id, or undefined for a message that is not a call. One whose large arguments are gone stays where it is.
   *
   * What workers refused as no call of whom it says goes as a new call of the operator's own, who is named by `by`; so does every letter
   * of an operator who signs. Throws `OPTION_INVALID` without it.
   */
  async retry(seq: number, { by }: { by?: Principal } = {}): Promise<string | undefined> {
    const letter = await this.show(seq);
    const { body, origin } = letter;
    // What is said there goes out with the rights of whoever sends it again.
    if (!origin.startsWith(`${SUBJECT.execute}.`)) {
      const came = origin === "" ? "does not say where it came from" : `says that it came from ${origin}`;
      const message = `Dead letter ${seq} cannot be sent again: it ${came}, and calls come from ${SUBJECT.execute}.NAME. Drop it, or make the call anew.`;
      throw new ToolrigError("STORE_FAILED", message);
    }
    if (letter.refused && by === undefined) {
      const message = `Workers refused dead letter ${seq}: ${letter.reason}. Somebody may have forged it, and sent again it would run with your rights. Look at it (show), and drop it, or make it a new call in your own name: give "by" (toolrig dlq retry: --as NAME).`;
      throw new ToolrigError("OPTION_INVALID", message);
    }
    if (this.#signer !== undefined && by === undefined) {
      const message = `Dead letter ${seq} was signed for another execution, or by another. Make it a new call in your own name, which you sign: give "by" (toolrig dlq retry: --as NAME).`;
      throw new ToolrigError("OPTION_INVALID", message);
    }
    const executionId = newId("exec");
    const whole = await this.#whole(seq, body);
    if (by !== undefined) return this.#callAnew(letter, whole, { executionId, by });
    const renewed = renew(whole, executionId);
    const fitting = renewed && (await this.#payloads.fit(`${keyOf(executionId)}.call`, renewed));
    await this.#publisher.publish(origin, fitting ?? body);
    await this.drop(seq);
    return renewed === undefined ? undefined : executionId;
  }

  /** The same call, and nothing else of the letter: neither whose it was, nor the account that it came from. */
  async #callAnew(
    { seq, origin }: DeadLetter,
    whole: string,
    { executionId, by }: { executionId: string; by: Principal },
  ): Promise<string> {
    const call = callIn(whole);
    if (call === undefined)
      throw new ToolrigError("STORE_FAILED", `Dead letter ${seq} holds no call. Drop it.`);
    const caller = this.#caller;
    const text = JSON.stringify({ executionId, caller, call, options: { principal: by } });
    const subject = origin.replace(/\.from\.[^.]+$/, "");
    const body = await this.#payloads.fit(`${keyOf(executionId, caller)}.call`, text);
    await this.#publisher.publish(subject, body, this.#signer?.sign(subject, text));
    await this.drop(seq);
    return executionId;
  }

  async drop(seq: number): Promise<void> {
    await this.#manager.streams.deleteMessage(this.#stream, seq);
  }

  async close(): Promise<void> {
    this.#publisher.close();
    await leave(this.#connection);
  }

  async #whole(seq: number, body: string): Promise<string> {
    let object: string | undefined;
    try {
      object = readReference(body);
    } catch {
      return body;
    }
    if (object === undefined) return body;
    return this.#payloads.load(object).catch((cause: unknown) => {
      const message = `Dead letter ${seq} cannot be sent again: ${messageOf(cause)}. Drop it, or make the call anew.`;
      throw new ToolrigError("STORE_FAILED", message, { cause });
    });
  }

  #read(seq: number): Promise<StoredMsg | null> {
    return this.#manager.streams.getMessage(this.#stream, { seq }).catch(() => null);
  }
}

/** The call under another execution id. Its approval was for the old one. Undefined for a body that no worker would take. */
function renew(body: string, executionId: string): string | undefined {
  const parsed = parseStrict(body, { subject: "The message" });
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return undefined;
  const { caller: _, approval: __, ...rest } = parsed.value as Record<string, unknown>;
  return JSON.stringify("call" in rest ? { ...rest, executionId } : { call: rest, executionId });
}

function asLetter(stored: StoredMsg): DeadLetter {
  return {
    seq: stored.seq,
    tool: stored.header.get("Tool-Name"),
    reason: stored.header.get("Tool-Reason"),
    origin: stored.header.get("Tool-Origin"),
    at: Date.parse(stored.timestamp),
    refused: isRefused(stored),
    body: new TextDecoder().decode(stored.data),
  };
}

/** On the subject of a tool only workers of that tool put calls aside, where permissions keep them apart. */
function isRefused({ subject, header }: StoredMsg): boolean {
  const tool = readExecuteSubject(header.get("Tool-Origin"))?.toolToken;
  return tool === undefined || subject !== `${SUBJECT.deadLetter}.${tool.slice(0, 200)}`;
}

/** What is called, and with what. Undefined for what is no call. */
function callIn(body: string): Record<string, unknown> | undefined {
  const parsed = parseStrict(body, { subject: "The message" });
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return undefined;
  const call = "call" in parsed.value ? parsed.value.call : parsed.value;
  if (typeof call !== "object" || call === null) return undefined;
  const { id, name, version, arguments: args } = call as Record<string, unknown>;
  return { id, name, version, arguments: args };
}
