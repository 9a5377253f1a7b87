import type { CallSource, ToolCall } from "../call/call.ts";
import type { Principal } from "../call/principal.ts";
import { snapshot } from "../copy.ts";
import { defined } from "../defined.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { MemoryWaitStore, type Wait, type WaitEnd, type WaitStore, waitId } from "./waits.ts";

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
  /** SHA-256 of the tool's definition: an answer for another definition does not count. */
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
  /** How the call is made again once there is an answer, where nobody comes back for it. */
  left?: { executionId?: string; call: ToolCall; options: object };
  /** The same for a call that somebody holds or comes back for, should they be gone when there is an answer. */
  made?: { executionId?: string; call: ToolCall; options: object };
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

/** The questions of an approval store as waits of that kind: they are kept, listed and ended with all others. */
export class WaitingApprovals implements Pick<ApprovalStore, "ask" | "get" | "decide" | "list"> {
  readonly #waits: WaitStore;

  constructor(waits: WaitStore) {
    this.#waits = waits;
  }

  async ask(pending: PendingApproval): Promise<ApprovalEntry> {
    return entryOf(await this.#waits.add(waitFor(pending)));
  }

  async get(executionId: string): Promise<ApprovalEntry | undefined> {
    const wait = await this.#waits.get(waitId(executionId, "approval"));
    return wait === undefined ? undefined : entryOf(wait);
  }

  async decide(executionId: string, decision: ApprovalDecision): Promise<boolean> {
    return this.#waits.revise(waitId(executionId, "approval"), ({ nextAt: _, ...wait }) => {
      if (wait.end !== undefined) return undefined;
      const isLeft = (wait.body as PendingApproval).left !== undefined;
      return { ...wait, end: endBy(decision), ...(isLeft && { nextAt: decision.at }) };
    });
  }

  async list(filter: { open?: boolean; runId?: string } = {}): Promise<ApprovalEntry[]> {
    return (await this.#waits.list({ ...filter, kind: "approval" })).map(entryOf);
  }
}

function waitFor(pending: PendingApproval): Wait {
  const { executionId, callId, name, runId, principal, reasons, createdAt, expiresAt } = pending;
  return {
    id: waitId(executionId, "approval"),
    kind: "approval",
    executionId,
    callId,
    name,
    createdAt,
    note: reasons.join("; "),
    body: pending,
    ...defined({ runId, principal }),
    ...(expiresAt !== undefined && { expiresAt, nextAt: expiresAt }),
  };
}

function endBy(decision: ApprovalDecision): WaitEnd {
  const { decision: how, at } = decision;
  return { how, at, ...("by" in decision && { by: decision.by }), body: decision };
}

function entryOf({ body, end }: Wait): ApprovalEntry {
  const pending = body as PendingApproval;
  return end === undefined ? { pending } : { pending, decision: end.body as ApprovalDecision };
}

/** Approvals for the life of the process, or of the waits that it is given. Of answered questions, the latest `capacity` are kept. */
export class MemoryApprovalStore extends WaitingApprovals implements ApprovalStore {
  /** Frozen, so that the test a constraint is made into is made once. */
  readonly #grants = new Map<string, Grant>();

  constructor(kept: number | WaitStore = 10_000) {
    super(typeof kept === "number" ? new MemoryWaitStore(kept) : kept);
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
