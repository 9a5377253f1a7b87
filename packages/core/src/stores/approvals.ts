import type { CallSource } from "../call/call.ts";
import type { Principal } from "../call/principal.ts";
import { copy, snapshot } from "../copy.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/** A call that waits for somebody's answer. Bound to its execution and to exactly these arguments. */
export interface PendingApproval {
  executionId: string;
  /** Hash of tool, version and arguments: an answer for other arguments does not count. */
  fingerprint: string;
  name: string;
  args: unknown;
  /** Why approval is needed. */
  reasons: readonly string[];
  /** The guards that want it, one for each reason. */
  askedBy?: readonly string[];
  /** No grant answers it: somebody has to look at this very call. */
  always?: true;
  callId: string;
  /** Where the tool comes from, where it comes from elsewhere. */
  provider?: string;
  /** SHA-256 of the tool's definition. */
  definition?: string;
  /** What edited arguments must match. Absent where only the tool's own schema library can say. */
  inputSchema?: JsonSchema;
  /** Where the call came from. */
  source?: CallSource;
  runId?: string;
  /** On whose behalf the call is made. */
  principal?: Principal;
  /** Epoch milliseconds. */
  createdAt: number;
  /** When it counts as denied. Absent: it waits. */
  expiresAt?: number;
}

/** What somebody decided, once and for good. */
export type ApprovalDecision =
  /** `args` are what the answerer changed the arguments to; the ones asked for stay on record. */
  | { decision: "approved"; by: Principal; at: number; args?: unknown }
  | { decision: "denied"; by: Principal; at: number; reason?: string }
  | { decision: "expired"; at: number }
  /** The user spoke meanwhile, so the question is moot. */
  | { decision: "superseded"; at: number; reason?: string };

export interface ApprovalEntry {
  pending: PendingApproval;
  /** Absent while it waits. */
  decision?: ApprovalDecision;
}

/** A standing permission: calls that match need no further answer, from the guards that it was given to. */
export interface Grant {
  id: string;
  tool: string;
  /** Where the tool comes from, as for the call that it was given for. */
  provider?: string;
  /** SHA-256 of the tool's definition: another tool of that name, or a later one, is asked about anew. */
  definition?: string;
  /** The guards whose question it answers. Absent: none. */
  guards?: readonly string[];
  /** JSON Schema that the arguments must match. Absent: any arguments. */
  constraints?: Readonly<Record<string, unknown>>;
  runId?: string;
  /** The principal on whose behalf calls may be made. */
  principalId?: string;
  /** Epoch milliseconds. */
  until?: number;
  by: Principal;
  at: number;
}

/** Where approvals and grants are kept. A durable store has them on disk before a method resolves. */
export interface ApprovalStore {
  /** Adds a question, unless the execution has one already: then that one is returned, answered or not. */
  ask(pending: PendingApproval): MaybePromise<ApprovalEntry>;
  get(executionId: string): MaybePromise<ApprovalEntry | undefined>;
  /** Records a decision if there is none yet. False when there was one, or no such question. */
  decide(executionId: string, decision: ApprovalDecision): MaybePromise<boolean>;
  /** Questions, oldest first; with `open`, only those that wait. */
  list(filter?: { open?: boolean; runId?: string }): MaybePromise<readonly ApprovalEntry[]>;
  addGrant(grant: Grant): MaybePromise<void>;
  removeGrant(id: string): MaybePromise<boolean>;
  grants(): MaybePromise<readonly Grant[]>;
}

/**
 * Approvals for the life of the process. Open questions are always kept; of answered ones, the latest `capacity`. What is
 * given and what is handed out are copies, as they are of a store on disk: nobody changes a decision by holding on to it.
 */
export class MemoryApprovalStore implements ApprovalStore {
  readonly #entries = new Map<string, ApprovalEntry>();
  readonly #answered = new Set<string>();
  readonly #capacity: number;
  /** Frozen, so that the test a constraint is made into is made once. */
  readonly #grants = new Map<string, Grant>();

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  ask(pending: PendingApproval): ApprovalEntry {
    let entry = this.#entries.get(pending.executionId);
    if (entry === undefined) {
      entry = { pending: copy(pending) };
      this.#entries.set(pending.executionId, entry);
    }
    return copy(entry);
  }

  get(executionId: string): ApprovalEntry | undefined {
    return copy(this.#entries.get(executionId));
  }

  decide(executionId: string, decision: ApprovalDecision): boolean {
    const entry = this.#entries.get(executionId);
    if (entry === undefined || entry.decision !== undefined) return false;
    entry.decision = copy(decision);
    this.#answered.add(executionId);
    for (const oldest of this.#answered) {
      if (this.#answered.size <= this.#capacity) break;
      this.#answered.delete(oldest);
      this.#entries.delete(oldest);
    }
    return true;
  }

  list({ open = false, runId }: { open?: boolean; runId?: string } = {}): ApprovalEntry[] {
    return [...this.#entries.values()]
      .filter(
        ({ pending, decision }) =>
          (!open || decision === undefined) && (runId === undefined || pending.runId === runId),
      )
      .map(copy);
  }

  addGrant(grant: Grant): void {
    this.#grants.set(grant.id, snapshot(grant));
  }

  removeGrant(id: string): boolean {
    return this.#grants.delete(id);
  }

  grants(): Grant[] {
    return [...this.#grants.values()];
  }
}
