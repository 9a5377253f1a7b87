import type { NatsConnection } from "@nats-io/transport-node";
import { type ApprovalEntry, type ApprovalStore, type Grant, WaitingApprovals } from "@toolrig/core/kit";
import { token } from "../wire/names.ts";
import { Bucket, type BucketOptions } from "./bucket.ts";
import type { KvWaits } from "./waits.ts";

/** Questions are with the waits; earlier versions kept them here. */
type Kept = ApprovalEntry | { grant: Grant };

/** Approvals on NATS: who waits and who answers may be on different machines. Every write is with the server at once. */
export class KvApprovals extends WaitingApprovals implements ApprovalStore {
  readonly #bucket: Bucket<Kept>;

  private constructor(bucket: Bucket<Kept>, waits: KvWaits) {
    super(waits);
    this.#bucket = bucket;
  }

  static async open(
    connection: NatsConnection,
    options: BucketOptions,
    waits: KvWaits,
  ): Promise<KvApprovals> {
    const approvals = new KvApprovals(await Bucket.open<Kept>(connection, options), waits);
    await approvals.#moveQuestions();
    return approvals;
  }

  async addGrant(grant: Grant): Promise<void> {
    await this.#bucket.put(grantKey(grant.id), { grant });
  }

  async removeGrant(id: string): Promise<boolean> {
    const known = await this.#bucket.get(grantKey(id));
    return known !== undefined && this.#bucket.remove(grantKey(id), known.revision);
  }

  async grants(): Promise<Grant[]> {
    const kept = await this.#bucket.scan("grant.", "leader");
    return kept.map(({ value }) => (value as { grant: Grant }).grant).sort((a, b) => a.at - b.at);
  }

  /** Of an earlier version, to the waits. One that changes meanwhile, or is left by a crash, is moved the next time. */
  async #moveQuestions(): Promise<void> {
    for (const { key, value, revision } of await this.#bucket.scan("question.", "leader")) {
      const { pending, decision } = value as ApprovalEntry;
      await this.ask(pending);
      if (decision !== undefined) await this.decide(pending.executionId, decision);
      await this.#bucket.remove(key, revision);
    }
  }
}

const grantKey = (id: string) => `grant.${token(id)}`;
