import type { CallEvent, ProgressUpdate, Redactor, Waiting } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { CallLine } from "../wire.ts";
import { FINAL, failureLine, stateOf, verdictOf } from "./call-line.ts";
import { excerptOf, gistOf } from "./gist.ts";

type Start = Extract<CallEvent, { type: "call.start" }>;
type End = Extract<CallEvent, { type: "call.end" }>;

const MAX_UPDATES = 50;
const MAX_NOTE = 200;

/** A call that is under way in this process, or has just ended: what is known of it before there is a record. */
export class TrackedCall {
  readonly start: Pick<
    Start,
    "executionId" | "callId" | "name" | "runId" | "parentId" | "source" | "principal" | "at"
  >;
  readonly verdicts: { guard: string; verdict: string; reason?: string }[] = [];
  readonly updates: { at: number; update: ProgressUpdate }[] = [];
  /** As the model wrote them. */
  readonly rawArguments: unknown;
  /** Whether a line of it went out: then the next one must, too. */
  sent = false;
  revision = 1;
  repaired = false;
  attempt = 1;
  waiting: { told: Waiting; since: number } | undefined;
  end: Pick<End, "result" | "args" | "endedAt"> | undefined;
  #gist: string | undefined;

  constructor(start: TrackedCall["start"], rawArguments: unknown) {
    const { executionId, callId, name, runId, parentId, source, principal, at } = start;
    this.start = {
      executionId,
      callId,
      name,
      source,
      at,
      ...defined({ runId, parentId, principal }),
    };
    this.rawArguments = rawArguments;
  }

  update(at: number, update: ProgressUpdate): void {
    this.updates.push({ at, update });
    if (this.updates.length > MAX_UPDATES) this.updates.shift();
  }

  line(redactor: Redactor): CallLine {
    const { executionId, runId, parentId, source, principal, at } = this.start;
    this.#gist ??= gistOf(this.rawArguments, redactor);
    const verdict = verdictOf(this.verdicts);
    return {
      executionId,
      revision: this.end === undefined ? this.revision : FINAL,
      callId: redactor.text(this.start.callId),
      name: redactor.text(this.start.name),
      ...(runId !== undefined && { runId: redactor.text(runId) }),
      ...(parentId !== undefined && { parentId: redactor.text(parentId) }),
      ...(principal !== undefined && { principal: redactor.text(principal.id) }),
      source,
      gist: this.#gist,
      state:
        this.end !== undefined
          ? stateOf(this.end.result)
          : this.waiting === undefined
            ? "running"
            : "waiting",
      startedAt: at,
      ...this.#note(redactor),
      ...(this.attempt > 1 && { attempt: this.attempt }),
      ...(this.repaired && { repaired: true }),
      ...defined({ verdict }),
      ...this.#ended(redactor),
    };
  }

  #note(redactor: Redactor): Partial<CallLine> {
    if (this.end !== undefined) return {};
    if (this.waiting !== undefined) {
      const { told, since } = this.waiting;
      const { kind, note, expiresAt } = told;
      return {
        ...(note !== undefined && { note: excerptOf(note, MAX_NOTE, redactor) }),
        waiting: { kind, since, ...defined({ expiresAt }) },
      };
    }
    const last = this.updates.at(-1)?.update;
    const note = last === undefined ? "" : excerptOf(last.content ?? last.details, MAX_NOTE, redactor);
    const share = last?.progress;
    return {
      ...(note !== "" && { note }),
      ...(typeof share === "number" && { progress: Math.min(1, Math.max(0, share)) }),
    };
  }

  #ended(redactor: Redactor): Partial<CallLine> {
    if (this.end === undefined) return {};
    const { result, endedAt } = this.end;
    return {
      endedAt,
      durationMs: result.durationMs,
      ...(result.attempts > 1 && { attempt: result.attempts }),
      ...(result.cached === true && { cached: true }),
      ...(result.failure !== undefined && { failure: failureLine(result.failure, redactor) }),
    };
  }
}
