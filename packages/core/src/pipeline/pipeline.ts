import type { BatchOptions, CallOptions, ToolCall } from "../call/call.ts";
import type { CallBatch } from "../call/call-batch.ts";
import type { DataLabels } from "../call/labels.ts";
import type { ToolResult } from "../call/result.ts";
import { isThenable } from "../maybe-promise.ts";
import { runLocalBatch } from "./batch.ts";
import { execute } from "./execute/execute.ts";
import { Execution, type Resolved } from "./execution.ts";
import { LocalCall } from "./local-call.ts";
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
    const batch = parent === undefined ? options.batch : parent.calls;
    const turn = batch?.turn();
    // How many calls will come is not known of a batch whose calls arrive one at a time.
    const place = turn === undefined ? undefined : { id: turn, size: 1, index: 0 };
    const execution = new Execution(this.#services, this, call, options, parent, place);
    execution.read = read;
    if (batch !== undefined) return this.#callWithin(batch, execution);
    const answer = prepare(execution);
    const prepared = isThenable(answer) ? await answer : answer;
    const outcome = prepared instanceof Execution ? await execute(prepared) : prepared;
    return settle(execution, outcome);
  }

  /** A stop of a call that a tool made ends the run that the tool is part of. */
  async #callWithin(batch: CallBatch, execution: Execution): Promise<ToolResult> {
    const { parent, options } = execution;
    const result = await batch.run(new LocalCall(execution, this.#services.mode), options.signal);
    if (parent !== undefined && execution.stop !== undefined) parent.stop ??= execution.stop;
    return result;
  }

  batch(calls: readonly ToolCall[], options: BatchOptions): Promise<ToolResult[]> {
    return runLocalBatch(this.#services, this, calls, options);
  }
}
