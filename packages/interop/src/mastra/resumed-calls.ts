import { defined } from "@toolrig/core/kit";
import type { MastraContext } from "./shape.ts";

/** Calls that are remembered as having come with `resumeData` of the model. */
const MOST = 10_000;

/**
 * Whose word `resumeData` is. Mastra takes it from the model's own arguments where those have such a key, before what the run was
 * resumed with: a model could approve its own calls. So an answer counts only for a call whose arguments were seen without it, and
 * which Mastra says was suspended.
 */
export class ResumedCalls {
  readonly #isClean = new Map<string, boolean>();

  /** The arguments of a call as the model wrote them: Mastra shows them before it takes that key out. */
  announce(callId: string, input: unknown): void {
    const isClean = typeof input !== "object" || input === null || !("resumeData" in input);
    // A call that was not clean once stays so, whoever comes under its id.
    this.#isClean.set(callId, isClean && this.#isClean.get(callId) !== false);
    const [oldest] = this.#isClean.keys();
    if (this.#isClean.size > MOST && oldest !== undefined) this.#isClean.delete(oldest);
  }

  /** Workflows have no model between them and their steps. */
  isTrusted(callId: string, { agent }: MastraContext): boolean {
    return agent === undefined || this.#isClean.get(callId) === true;
  }

  /** What the run was resumed with for a call that asked. Whatever is no clear yes is a no. */
  decisionFor(
    callId: string,
    { agent, workflow }: MastraContext,
  ): { approved: boolean; reason?: string; args?: unknown } | undefined {
    const { suspendPayload, resumeData } = agent ?? workflow ?? {};
    const asked = (suspendPayload ?? {}) as Record<string, unknown>;
    const isAnswer = asked.type === "approval" && (agent === undefined || asked.callId === callId);
    if (!isAnswer || resumeData === undefined || resumeData === null) return undefined;
    const { approved, reason, args } = resumeData as Record<string, unknown>;
    return {
      approved: approved === true,
      ...(typeof reason === "string" && { reason }),
      ...defined({ args }),
    };
  }
}
