import type { MaybePromise } from "@toolrig/core/kit";

/** What a question is not waited for any longer than. */
export interface Ends {
  /** Of who makes the call. */
  signal: AbortSignal | undefined;
  /** Of the executor that makes it. */
  closing: AbortSignal;
  limitMs: number;
}

export type Answer<T> = { answer: T } | { ended: "cancelled" | "closed" | "late" };

/** What somebody answers, or what came before that. Rejects when asking fails. */
export async function answerBefore<T>(
  ask: () => MaybePromise<T>,
  { signal, closing, limitMs }: Ends,
): Promise<Answer<T>> {
  let stop = () => {};
  const ended = new Promise<Answer<T>>((resolve) => {
    const cancel = () => resolve({ ended: "cancelled" });
    const close = () => resolve({ ended: "closed" });
    const timer = setTimeout(() => resolve({ ended: "late" }), limitMs);
    signal?.addEventListener("abort", cancel, { once: true });
    closing.addEventListener("abort", close, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      closing.removeEventListener("abort", close);
    };
  });
  try {
    const answered = Promise.resolve(ask()).then((answer) => ({ answer }));
    return await Promise.race([answered, ended]);
  } finally {
    stop();
  }
}
