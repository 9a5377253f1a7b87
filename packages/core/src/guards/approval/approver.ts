import { type Principal, principalOption } from "../../call/principal.ts";
import type { Waiting } from "../../call/waiting.ts";
import type { ArgumentIssue } from "../../failure/failure.ts";
import { declareOptions, type OptionTable } from "../../options/declare-options.ts";
import { anyText, anything, flag, text } from "../../options/kinds.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { PendingApproval } from "../../stores/approvals.ts";
import type { GuardInput } from "../guard.ts";

/** Somebody to ask. Resolves when there is an answer; the call waits, outside its deadline. */
export type Approver = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** A guard wants somebody to approve a call. */
export interface Ask {
  readonly guard: string;
  readonly reason: string;
  /** No standing permission answers it. */
  readonly always?: true;
}

export interface ApprovalRequest extends GuardInput {
  /** Who asks. */
  readonly asks: readonly Ask[];
  /** Why approval is needed, one entry a guard that asked. */
  readonly reasons: readonly string[];
  /** What is wrong with arguments that somebody would have in the place of these; empty when they could run. */
  checkEdit(args: unknown): Promise<readonly ArgumentIssue[]>;
  /** The JSON Schema of such arguments, where it is all that decides. */
  readonly editSchema: JsonSchema | undefined;
  /** Aborts when the call is cancelled or the executor stops. */
  readonly signal: AbortSignal | undefined;
  /** False when the caller does not hold the call: who has no answer yet says what is waited for. */
  readonly holds: boolean;
  /** How the call is made again once there is an answer, where nobody comes back for it. */
  readonly left: PendingApproval["left"];
  /** How any process makes the call again, should this one die before there is an answer. */
  readonly made?: PendingApproval["made"];
  /** To be told when the call begins to wait. */
  waits(waiting: Waiting): void;
}

export type ApprovalAnswer =
  /** `args` replaces the arguments; they are validated again. `grant` is the id of the standing permission that answered. */
  | { approved: true; args?: unknown; by?: Principal; grant?: string }
  | { approved: false; reason?: string; by?: Principal }
  /** There is none yet, and the call is not held: it is made again under its execution id when there is. */
  | { approved: undefined; waiting: Waiting };

/** What an approver may answer once there is an answer. */
export const approvalAnswer = declareOptions("an approver's answer", {
  approved: flag({ required: true }),
  args: anything("the arguments to run with"),
  reason: anyText(),
  by: principalOption(),
  grant: text(),
} satisfies OptionTable<{
  approved: boolean;
  args?: unknown;
  reason?: string;
  by?: Principal;
  grant?: string;
}>);
