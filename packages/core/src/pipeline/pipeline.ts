import type { BatchOptions, CallOptions, ToolCall } from "../call/call.ts";
import type { ToolResult } from "../call/result.ts";
import { newId } from "../ids.ts";
import { isThenable } from "../maybe-promise.ts";
import { Runner } from "./execute/execute.ts";
import { Execution } from "./execution.ts";
import { prepare } from "./prepare/prepare.ts";
import type { System } from "./services.ts";
import { settle } from "./settle/settle.ts";

/** The path of a call: prepare, execute, settle. A batch goes through each phase together; only execute is concurrent. */
export class Pipeline {
  readonly #system: System;
  readonly #runner: Runner;

  constructor(system: System) {
    this.#system = system;
    this.#runner = new Runner(system);
  }

  async call(call: ToolCall, options: CallOptions, parent: Execution | undefined): Promise<ToolResult> {
    const execution = new Execution(this.#system, call, options, parent);
    const answer = prepare(execution);
    const settled = isThenable(answer) ? await answer : answer;
    return settle(execution, settled ?? (await this.#runner.execute(execution)));
  }

  async batch(
    calls: readonly ToolCall[],
    { mode, executionIds, ...options }: BatchOptions,
  ): Promise<ToolResult[]> {
    const prepared: { execution: Execution; settled: ToolResult | undefined }[] = [];
    const id = newId("batch");
    for (const [index, call] of calls.entries()) {
      const executionId = executionIds?.[index];
      const own = executionId === undefined ? options : { ...options, executionId };
      const execution = new Execution(this.#system, call, own, undefined, { id, size: calls.length, index });
      prepared.push({ execution, settled: await prepare(execution) });
    }
    const run = async ({ execution, settled }: (typeof prepared)[number]) =>
      settled ?? this.#runner.execute(execution);
    const sequential =
      (mode ?? this.#system.mode) === "sequential" ||
      prepared.some(
        ({ execution, settled }) => settled === undefined && execution.tool.mode === "sequential",
      );
    const outcomes: ToolResult[] = sequential ? [] : await Promise.all(prepared.map(run));
    if (sequential) for (const each of prepared) outcomes.push(await run(each));
    const results: ToolResult[] = [];
    for (const [index, { execution }] of prepared.entries())
      results.push(await settle(execution, outcomes[index]!));
    return results;
  }
}
