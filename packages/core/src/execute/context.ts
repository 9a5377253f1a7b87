import type { LogLevel, Principal, ProgressUpdate, ToolContext } from "../context.ts";
import type { Effect } from "../effects.ts";
import type { Execution } from "../execution.ts";
import { newId } from "../ids.ts";
import type { ToolResult } from "../result.ts";

/** How deep tools may call tools before it counts as runaway recursion. */
const MAX_DEPTH = 16;

/** The context of one attempt. Once closed, whatever the tool still reports is ignored. */
export class RunContext implements ToolContext {
  readonly attempt: number;
  readonly #execution: Execution;
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #closed = false;
  #log: ToolContext["log"] | undefined;
  /** Called on every sign of life. */
  onActivity: (() => void) | undefined;

  constructor(execution: Execution) {
    this.#execution = execution;
    this.attempt = execution.attempts;
  }

  get executionId(): string {
    return this.#execution.id;
  }

  get callId(): string {
    return this.#execution.call.id;
  }

  get idempotencyKey(): string {
    return this.#execution.id;
  }

  get runId(): string | undefined {
    return this.#execution.options.runId;
  }

  get requestId(): string | undefined {
    return this.#execution.options.requestId;
  }

  get stepName(): string | undefined {
    return this.#execution.options.stepName;
  }

  get principal(): Principal | undefined {
    return this.#execution.options.principal;
  }

  /** Made on first use: most tools never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  get log(): ToolContext["log"] {
    const at = (level: LogLevel) => (message: string, data?: unknown) => {
      if (!this.#closed)
        this.#execution.emit({ type: "call.log", level, message, ...(data !== undefined && { data }) });
    };
    this.#log ??= { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
    return this.#log;
  }

  update(update: ProgressUpdate | string): void {
    if (this.#closed) return;
    this.onActivity?.();
    this.#execution.emit({
      type: "call.update",
      update: typeof update === "string" ? { content: update } : update,
    });
  }

  effect(effect: Effect): void {
    if (this.#closed) return;
    this.#execution.effects ??= [];
    this.#execution.effects.push(effect);
  }

  call(name: string, args: unknown): Promise<ToolResult> {
    const parent = this.#execution;
    const id = newId("call");
    const { executionId: _, complete: __, ...inherited } = parent.options;
    if (depthOf(parent) >= MAX_DEPTH) {
      const message = `Tools called tools ${MAX_DEPTH} deep; ${name} was not called.`;
      return Promise.resolve({
        ...parent.failed({ code: "TOOL_BUDGET_EXCEEDED", message }),
        callId: id,
        name,
      });
    }
    const call = { id, name, arguments: args };
    return parent.system.call(call, { ...inherited, source: "tool", signal: this.signal }, parent);
  }

  abort(reason: unknown): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  close(): void {
    this.#closed = true;
    this.onActivity = undefined;
  }
}

function depthOf(execution: Execution): number {
  let depth = 0;
  for (let each = execution.parent; each !== undefined; each = each.parent) depth += 1;
  return depth;
}
