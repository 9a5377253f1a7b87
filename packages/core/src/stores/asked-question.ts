import type { DataLabels } from "../call/labels.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { Wait, WaitStore } from "./waits.ts";

/**
 * The body of a question's wait.
 *
 * `restarts` and `passed` say what the code of the call has done, whatever the ledger says of it: a process may die between
 * the write of the question and the write of the ledger. Code that asked and never went on is started again with the answer;
 * code that went on is not, because it may have changed something since.
 */
export interface AskedQuestion {
  message: string;
  schema: JsonSchema;
  /** How often the tool had been started when it asked. */
  attempts: number;
  /** Labels of what its run had read when it asked. */
  read?: DataLabels;
  /** The tool had reported no effect, or may repeat what it did: it may be started again with the answer. */
  restarts?: true;
  /**
   * Stored before the code runs on with an answer of its call, and before it is started again. The question then says nothing
   * about what the code did.
   */
  passed?: true;
}

/** The part of a store that these rules need. */
type Waits = Pick<WaitStore, "list" | "revise">;

/** Returns the question at which the code of an execution stopped and from which it never went on, open or answered. */
export async function stoppedAt(waits: Waits, executionId: string): Promise<Wait | undefined> {
  return (await unpassed(waits, executionId))[0];
}

/** Stores that the code of an execution goes on from every question that it has asked. Rejects when that cannot be stored. */
export async function passQuestions(waits: Waits, executionId: string): Promise<void> {
  for (const { id } of await unpassed(waits, executionId))
    await waits.revise(id, (wait) => ({ ...wait, body: { ...(wait.body as AskedQuestion), passed: true } }));
}

/** Questions from which the code has not gone on, and which leave it free to be started again. */
async function unpassed(waits: Waits, executionId: string): Promise<Wait[]> {
  const asked = await waits.list({ executionId, kind: "question" });
  return asked.filter(({ body }) => {
    const { restarts, passed } = (body ?? {}) as Partial<AskedQuestion>;
    return restarts === true && passed !== true;
  });
}
