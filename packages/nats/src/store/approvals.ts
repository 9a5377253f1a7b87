import type { NatsConnection } from "@nats-io/transport-node";
import type { PendingApproval } from "@toolrig/core";
import type { ApprovalDecision, ApprovalEntry, ApprovalStore, Grant } from "@toolrig/core/kit";
import { keyOf, token } from "../wire/names.ts";
import { Bucket, type BucketOptions } from "./bucket.ts";

type Kept = ApprovalEntry | { grant: Grant };

/** Approvals on NATS: who waits and who answers may be on different machines. Every write is with the server at once. */
export class KvApprovals implements ApprovalStore {
  readonly #bucket: Bucket<Kept>;

  private constructor(bucket: Bucket<Kept>) {
    this.#bucket = bucket;
  }

  static async open(connection: NatsConnection, options: BucketOptions): Promise<KvApprovals> {
    return new KvApprovals(await Bucket.open<Kept>(connection, options));
  }

  async ask(pending: PendingApproval): Promise<ApprovalEntry> {
    if (await this.#bucket.create(questionKey(pending.executionId), { pending })) return { pending };
    return (await this.get(pending.executionId)) ?? this.ask(pending);
  }

  async get(executionId: string): Promise<ApprovalEntry | undefined> {
    return (await this.#bucket.get(questionKey(executionId)))?.value as ApprovalEntry | undefined;
  }

  async decide(executionId: string, decision: ApprovalDecision): Promise<boolean> {
    const key = questionKey(executionId);
    const known = await this.#bucket.get(key);
    if (known === undefined) return false;
    const { pending, decision: earlier } = known.value as ApprovalEntry;
    return earlier === undefined && this.#bucket.update(key, { pending, decision }, known.revision);
  }

  async list({ open = false, runId }: { open?: boolean; runId?: string } = {}): Promise<ApprovalEntry[]> {
    const entries = (await this.#bucket.scan("question.")).map(({ value }) => value as ApprovalEntry);
    return entries
      .filter(
        ({ pending, decision }) =>
          (!open || decision === undefined) && (runId === undefined || pending.runId === runId),
      )
      .sort((a, b) => a.pending.createdAt - b.pending.createdAt);
  }

  async addGrant(grant: Grant): Promise<void> {
    await this.#bucket.put(grantKey(grant.id), { grant });
  }

  async removeGrant(id: string): Promise<boolean> {
    const known = await this.#bucket.get(grantKey(id));
    return known !== undefined && this.#bucket.remove(grantKey(id), known.revision);
  }

  async grants(): Promise<Grant[]> {
    const kept = await this.#bucket.scan("grant.");
    return kept.map(({ value }) => (value as { grant: Grant }).grant).sort((a, b) => a.at - b.at);
  }
}

const questionKey = (executionId: string) => `question.${keyOf(executionId)}`;
const grantKey = (id: string) => `grant.${token(id)}`;
