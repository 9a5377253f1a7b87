import type { Question, QuestionAnswer, ToolContext } from "@toolrig/core";

/**
 * Asks as `context.ask` does, and rejects with the reason of the signal when the attempt is over first: a call that is parked leaves its
 * code where it asks, for good, so that nothing behind a bare `context.ask` is ever released. Whoever catches it must do nothing more
 * for the call but release.
 */
export function askInAttempt(context: ToolContext, question: Question): Promise<QuestionAnswer> {
  const { signal } = context;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    const done = () => signal.removeEventListener("abort", leave);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    context.ask(question).then(resolve, reject).finally(done);
  });
}
