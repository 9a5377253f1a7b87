import type { CallEvent, EventStream } from "@toolrig/core";
import type { Metric } from "./metric.ts";
import { Counter, Histogram } from "./series.ts";

type Told<Type extends CallEvent["type"]> = Extract<CallEvent, { type: Type }>;

/** In place of names that no tool has: those come from models, and there is no end of them. */
const UNKNOWN = "(unknown)";

/** What calls came to, by tool. */
export class CallMetrics {
  readonly #executions: Counter;
  readonly #durations: Histogram;
  readonly #errors: Counter;
  readonly #timeouts: Counter;
  readonly #filtered: Counter;
  readonly #rejections: Counter;
  readonly #retries: Counter;
  readonly #exhausted: Counter;
  readonly #repairs: Counter;
  readonly #cached: Counter;
  readonly #late: Counter;
  readonly #waits: Counter;
  readonly #waited: Histogram;
  readonly #approvals: Counter;
  readonly #all: readonly (Counter | Histogram)[];
  /** Names that tools have. */
  readonly #names = new Set<string>();
  /** Of the latest, so that none counts twice. */
  readonly #waitsSeen = new Set<string>();

  constructor(prefix: string) {
    const counter = (name: string, help: string, ...labels: string[]) =>
      new Counter(`${prefix}_${name}`, help, labels);
    const tool = "tool_name";
    this.#executions = counter("executions_total", "Calls that ended, by tool and status", tool, "status");
    this.#durations = new Histogram(
      `${prefix}_execution_duration_seconds`,
      "How long calls took, without what they waited for the world",
      [tool],
    );
    this.#errors = counter("errors_total", "Calls that failed, by tool and code", tool, "error_type");
    this.#timeouts = counter("timeout_total", "Calls that ran out of time", tool);
    this.#filtered = counter("filtered_total", "Calls of tools that are not allowed", tool, "reason");
    this.#rejections = counter("rejections_total", "Calls that a rule or a person refused", tool, "reason");
    this.#retries = counter(
      "retries_total",
      "Attempts that failed and were followed by another",
      tool,
      "error_kind",
    );
    this.#exhausted = counter("retries_exhausted_total", "Calls that failed after their last attempt", tool);
    this.#repairs = counter("repairs_total", "Calls whose arguments were repaired, by how", tool, "mode");
    this.#cached = counter("cached_total", "Calls that were answered from memory", tool);
    this.#late = counter("late_results_total", "Results that came after their call had ended", tool);
    this.#waits = counter("waits_total", "Calls that began to wait, by what for", tool, "kind");
    this.#waited = new Histogram(`${prefix}_wait_duration_seconds`, "How long calls waited, by what for", [
      "kind",
    ]);
    this.#approvals = counter("approvals_total", "Answers to questions about calls", tool, "answer");
    this.#all = [
      this.#executions,
      this.#durations,
      this.#errors,
      this.#timeouts,
      this.#filtered,
      this.#rejections,
      this.#retries,
      this.#exhausted,
      this.#repairs,
      this.#cached,
      this.#late,
      this.#waits,
      this.#waited,
      this.#approvals,
    ];
  }

  watch(events: EventStream): void {
    events.watch("call.end", (event) => this.#end(event));
    events.watch("call.retry", ({ name, failure }) => this.#retries.add(1, name, failure.kind));
    events.watch("call.verdict", ({ name, guard, verdict }) => {
      if (guard === "approval") this.#approvals.add(1, name, verdict === "allow" ? "approved" : "denied");
    });
    events.watch("call.waiting", (event) => this.#wait(event));
    events.watch("call.resumed", ({ waiting, waitedMs }) =>
      this.#waited.observe(waitedMs / 1_000, waiting.kind),
    );
    events.watch("call.late", ({ name }) => this.#late.add(1, this.#names.has(name) ? name : UNKNOWN));
  }

  metrics(): Metric[] {
    return this.#all.map((each) => each.metric());
  }

  #end({ name, result, definitionHash }: Told<"call.end">): void {
    const { failure, attempts, durationMs, waitedMs = 0, cached, decoded } = result;
    // Of a remote call only its result tells that there is such a tool. One that is not allowed is there.
    const isThere = failure === undefined || attempts > 0 || failure.code === "TOOL_NOT_ALLOWED";
    if (definitionHash !== undefined || isThere) this.#names.add(name);
    const tool = this.#names.has(name) ? name : UNKNOWN;
    this.#durations.observe(Math.max(0, durationMs - waitedMs) / 1_000, tool);
    if (cached === true) this.#cached.add(1, tool);
    if (decoded.mode !== "strict") this.#repairs.add(1, tool, decoded.mode);
    if (failure === undefined) {
      this.#executions.add(1, tool, "success");
      return;
    }
    const { kind, code } = failure;
    this.#executions.add(1, tool, kind === "timeout" ? "timeout" : "error");
    this.#errors.add(1, tool, code);
    if (kind === "timeout") this.#timeouts.add(1, tool);
    if (code === "TOOL_NOT_ALLOWED") this.#filtered.add(1, tool, "not_allowed");
    else if (kind === "denied") this.#rejections.add(1, tool, code);
    if (attempts > 1) this.#exhausted.add(1, tool);
  }

  /** One wait may be told of twice: when it begins, and when its call is let go. */
  #wait({ name, waiting, startSeq }: Told<"call.waiting">): void {
    const key = `${startSeq} ${waiting.id}`;
    if (this.#waitsSeen.has(key)) return;
    this.#waitsSeen.add(key);
    for (const oldest of this.#waitsSeen) {
      if (this.#waitsSeen.size <= 1_000) break;
      this.#waitsSeen.delete(oldest);
    }
    this.#waits.add(1, name, waiting.kind);
  }
}
