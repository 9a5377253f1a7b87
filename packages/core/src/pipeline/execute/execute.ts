import type { ToolResult } from "../../call/result.ts";
import { failureOf } from "../../failure/classify.ts";
import { isThenable } from "../../maybe-promise.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Execution } from "../execution.ts";
import type { System } from "../services.ts";
import { approve } from "./approve.ts";
import { run } from "./attempt.ts";
import type { Layer, Run } from "./layer.ts";
import { ledger } from "./ledger.ts";
import { limit } from "./limit.ts";
import { invalidateMemo, memo } from "./memo.ts";
import { retry } from "./retry.ts";

/** From the outside in. The deadline is part of `run`: it covers one attempt, not the waiting before it. */
const LAYERS: readonly Layer[] = [memo, invalidateMemo, ledger, limit, retry];

/** Carries out prepared calls. Each tool gets the layers that apply to it, put together once. */
export class Runner {
  readonly #system: System;
  readonly #paths = new WeakMap<AnyTool, Run>();

  constructor(system: System) {
    this.#system = system;
  }

  /** Never throws. */
  async execute(execution: Execution): Promise<ToolResult> {
    if (this.#system.events.active) execution.preparedAt = this.#system.clock.now();
    try {
      if (execution.asks !== undefined) {
        const settled = await approve(execution);
        if (settled !== undefined) return settled;
      }
      const answer = this.#pathOf(execution.tool)(execution);
      return isThenable(answer) ? await answer : answer;
    } catch (error) {
      return execution.failed(failureOf(error));
    } finally {
      execution.endedAt = this.#system.clock.now();
    }
  }

  #pathOf(tool: AnyTool): Run {
    let path = this.#paths.get(tool);
    if (path === undefined) {
      path = LAYERS.filter((layer) => layer.applies(tool, this.#system)).reduceRight(
        (next: Run, layer) => layer.wrap(tool, this.#system, next),
        run,
      );
      this.#paths.set(tool, path);
    }
    return path;
  }
}
