import { DiscardPolicy, type JsMsg, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { AnyTool } from "@toolrig/core";
import { type AckedPublisher, PublishError } from "../acked-publisher.ts";
import { shortHash, token } from "../names.ts";

/**
 * A rate that holds across the fleet: a stream in memory that keeps at most `limit` messages for one window and refuses
 * more. A call starts when its token was accepted; there is no counter to fight over.
 */
export class RateGate {
  readonly #publisher: AckedPublisher;
  readonly #subject: string;
  readonly #windowMs: number;

  private constructor(publisher: AckedPublisher, subject: string, windowMs: number) {
    this.#publisher = publisher;
    this.#subject = subject;
    this.#windowMs = windowMs;
  }

  static async open(connection: NatsConnection, tool: AnyTool, publisher: AckedPublisher): Promise<RateGate> {
    const { limit, perMs } = tool.rate!;
    const subject = `tool.rate.${token(tool.name)}`;
    const manager = await jetstreamManager(connection);
    const config = {
      name: `TOOL_RATE_${tool.name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)}_${shortHash(tool.name)}`,
      subjects: [subject],
      storage: StorageType.Memory,
      max_msgs: limit,
      max_age: nanos(perMs),
      discard: DiscardPolicy.New,
      duplicate_window: nanos(Math.min(perMs, 120_000)),
    };
    await manager.streams.add(config).catch(() => manager.streams.update(config.name, config));
    return new RateGate(publisher, subject, perMs);
  }

  /** Whether the call may start now. If not, it went back to the queue and returns when a token may be free. */
  async pass(message: JsMsg): Promise<boolean> {
    try {
      await this.#publisher.publish(this.#subject, "");
      return true;
    } catch (error) {
      const full = error instanceof PublishError && error.isFull;
      const delay = full ? Math.min(this.#windowMs, 1_000) * (0.25 + Math.random() / 2) : 500;
      message.nak(Math.ceil(delay));
      return false;
    }
  }
}
