import type {
  ApprovalQueue,
  InformationFlow,
  Listener,
  OnWaiting,
  ToolList,
  ToolResult,
  ToolSource,
  Tracer,
} from "@toolrig/core";
import type { Clock, Journal, RepeatLimits } from "@toolrig/core/kit";
import type { Engine } from "../model/engine.ts";
import type { Extraction } from "../model/extracted-calls.ts";
import type { ModelRetry } from "../model/infer.ts";
import type { ToolCallPart } from "../model/message.ts";
import type { Selection } from "../select/offering.ts";
import type { LoopHooks } from "./hooks.ts";
import type { LoopEvent } from "./loop-event.ts";
import type { Delivery } from "./steering.ts";
import type { Toolset } from "./toolset.ts";
import type { Trimming } from "./trim.ts";

/** The tools of a loop. */
export interface LoopTools {
  readonly toolset: Toolset;
  /** For other tools than the loop's own. Throws `OPTION_INVALID` when the executor was given and is not ours. */
  toolsetFor(tools: ToolSource | ToolList): Toolset;
  readonly selection: Selection | undefined;
  readonly trimming: Trimming | undefined;
  /** Whether a ledger was given that knows after a crash what calls did; one that is not ours is taken to have it. */
  readonly ledgered: boolean;
}

/** The checked options of a loop, shared by its runs. */
export interface Setup extends LoopTools {
  readonly engine: Engine;
  readonly system: string | undefined;
  readonly maxToolIterations: number;
  readonly onWaiting: OnWaiting;
  readonly mode: "parallel" | "sequential" | undefined;
  readonly onToolResult: ((result: ToolResult, call: ToolCallPart) => unknown) | undefined;
  readonly listeners: readonly Listener<LoopEvent>[];
  readonly hooks: LoopHooks;
  readonly callBudget: number;
  readonly tokenBudget: number;
  readonly timeBudgetMs: number | undefined;
  readonly journal: Journal | undefined;
  readonly steering: Delivery;
  readonly followUps: Delivery;
  readonly extract: Extraction | undefined;
  readonly repeats: RepeatLimits | undefined;
  readonly flow: InformationFlow | undefined;
  readonly approvals: ApprovalQueue | undefined;
  readonly retry: ModelRetry;
  readonly idleMs: number;
  readonly answerMs: number;
  readonly tracer: Tracer | undefined;
  readonly clock: Clock;
}
