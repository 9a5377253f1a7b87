import { defined } from "@toolrig/core/kit";
/** Names of the semantic conventions for generative AI, and our own for what these have no name for. */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  workflow: "gen_ai.workflow.name",
  model: "gen_ai.request.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  tool: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  callId: "gen_ai.tool.call.id",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
} as const;

export const ERROR_TYPE = "error.type";

export const OWN = {
  run: "toolrig.run.id",
  request: "toolrig.request.id",
  execution: "toolrig.execution.id",
  step: "toolrig.step.name",
  source: "toolrig.call.source",
  attempts: "toolrig.call.attempts",
  cached: "toolrig.call.cached",
  replayed: "toolrig.call.replayed",
  repaired: "toolrig.call.repaired",
  waitedMs: "toolrig.call.waited_ms",
  /** What a call waits for whose span has ended: it goes on in another. */
  waiting: "toolrig.call.waiting",
  status: "toolrig.run.status",
  turn: "toolrig.turn",
  turns: "toolrig.run.turns",
  calls: "toolrig.run.calls",
} as const;

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

export function usageAttributes(usage: Tokens | undefined): Record<string, number> {
  if (usage === undefined) return {};
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    [GEN_AI.inputTokens]: inputTokens,
    [GEN_AI.outputTokens]: outputTokens,
    ...defined({
      [GEN_AI.cacheReadTokens]: cachedInputTokens,
      [GEN_AI.cacheWriteTokens]: cacheWriteTokens,
      [GEN_AI.reasoningTokens]: reasoningTokens,
    }),
  };
}

/** An engine's name apart: "openai:gpt-5" is a model of a provider, and other names are models. */
export function modelOf(engine: string): { model: string; provider?: string } {
  const at = engine.indexOf(":");
  return at < 1 ? { model: engine } : { provider: engine.slice(0, at), model: engine.slice(at + 1) };
}
