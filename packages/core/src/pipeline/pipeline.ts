import type { BatchOptions, CallOptions, ToolCall } from "../call/call.ts";
import type { ToolResult } from "../call/result.ts";
import { newId } from "../ids.ts";
import { isThenable } from "../maybe-promise.ts";
import { execute } from "./execute/execute.ts";
import { Execution } from "./execution.ts";
import { prepare } from "./prepare/prepare.ts";
import type { Services } from "./services.ts";
import { settle } from "./settle/settle.ts";

interface Prepared {
  execution: Execution;
  settled: ToolResult | undefined;
}

/** The path of a call: prepare, execute, settle. A batch goes through each phase together; only execute is concurrent. */
export class Pipeline {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  async call(call: ToolCall, options: CallOptions, parent: Execution | undefined): Promise<ToolResult> {
    const execution = new Execution(this.#services, this, call, options, parent);
    const answer = prepare(execution);
    const settled = isThenable(answer) ? await answer : answer;
    return settle(execution, settled ?? (await execute(execution)));
  }

  async batch(
    calls: readonly ToolCall[],
    { mode, executionIds, ...options }: BatchOptions,
  ): Promise<ToolResult[]> {
    const batch: Prepared[] = [];
    const id = newId("batch");
    for (const [index, call] of calls.entries()) {
      const executionId = executionIds?.[index];
      const own = executionId === undefined ? options : { ...options, executionId };
      const place = { id, size: calls.length, index };
      const execution = new Execution(this.#services, this, call, own, undefined, place);
      batch.push({ execution, settled: await prepare(execution) });
    }
    const executed = isSequential(batch, mode ?? this.#services.mode)
      ? await executeInTurn(batch)
      : await executeTogether(batch);
    const results: ToolResult[] = [];
    for (const [execution, outcome] of executed) results.push(await settle(execution, outcome));
    return results;
  }
}

/** One sequential tool makes its whole batch sequential. */
function isSequential(batch: readonly Prepared[], mode: "parallel" | "sequential"): boolean {
  return (
    mode === "sequential" ||
    batch.some(({ execution, settled }) => settled === undefined && execution.tool.mode === "sequential")
  );
}

async function executeInTurn(batch: readonly Prepared[]): Promise<[Execution, ToolResult][]> {
  const executed: [Execution, ToolResult][] = [];
  for (const { execution, settled } of batch)
    executed.push([execution, settled ?? (await execute(execution))]);
  return executed;
}

function executeTogether(batch: readonly Prepared[]): Promise<[Execution, ToolResult][]> {
  return Promise.all(
    batch.map(
      async ({ execution, settled }): Promise<[Execution, ToolResult]> => [
        execution,
        settled ?? (await execute(execution)),
      ],
    ),
  );
}
