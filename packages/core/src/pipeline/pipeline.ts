import type { BatchOptions, CallOptions, ToolCall } from "../call/call.ts";
import type { DataLabels } from "../call/labels.ts";
import type { ToolResult } from "../call/result.ts";
import { isThenable } from "../maybe-promise.ts";
import { runBatch } from "./batch.ts";
import { execute } from "./execute/execute.ts";
import { Execution, type Resolved } from "./execution.ts";
import { prepare } from "./prepare/prepare.ts";
import type { Services } from "./services.ts";
import { settle } from "./settle/settle.ts";

/** The path of a call: prepare, execute, settle. */
export class Pipeline {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** `read`: of a call that was put aside, what its run had read by then. */
  async call(
    call: ToolCall,
    options: CallOptions,
    parent: Resolved | undefined,
    read?: DataLabels,
  ): Promise<ToolResult> {
    const execution = new Execution(this.#services, this, call, options, parent);
    execution.read = read;
    const answer = prepare(execution);
    const prepared = isThenable(answer) ? await answer : answer;
    const outcome = prepared instanceof Execution ? await execute(prepared) : prepared;
    if (parent !== undefined && prepared instanceof Execution && execution.attempts > 0)
      parent.made(prepared);
    return settle(execution, outcome);
  }

  batch(calls: readonly ToolCall[], options: BatchOptions): Promise<ToolResult[]> {
    return runBatch(this.#services, this, calls, options);
  }
}
