import type { CallContext } from "./call.ts";

/** How long requests have to be answered when the server is closed: a call that is cancelled is answered at once. */
const ANSWERED_WITHIN_MS = 5_000;

const CLOSED = new Error("The server is closed.");

/** Whether it was aborted because the server is closed, so that there is somebody to be answered. */
export function isClosed({ reason }: AbortSignal): boolean {
  return reason === CLOSED;
}

/** Requests under way: when the server is closed, what they do is cancelled and they are answered, which the SDK does not. */
export class UnderWay {
  readonly #running = new Map<AbortController, Promise<unknown>>();

  /** Until it is answered, a request can be cancelled by `controller`. */
  follow<Answer>(controller: AbortController, answer: Promise<Answer>): Promise<Answer> {
    const over = () => this.#running.delete(controller);
    this.#running.set(controller, answer.then(over, over));
    return answer;
  }

  /** The same for a request of the SDK, whose own signal says that nothing is to be answered. */
  run<Context extends CallContext, Answer>(
    ctx: Context,
    work: (ctx: Context) => Promise<Answer>,
  ): Promise<Answer> {
    const { signal } = ctx.mcpReq;
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const answer = work({ ...ctx, mcpReq: { ...ctx.mcpReq, signal: controller.signal } });
    return this.follow(
      controller,
      answer.finally(() => signal.removeEventListener("abort", abort)),
    );
  }

  /** Cancels them, and resolves when they are answered. */
  async cancel(): Promise<void> {
    const answered = [...this.#running.values()];
    if (answered.length === 0) return;
    for (const controller of this.#running.keys()) controller.abort(CLOSED);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, ANSWERED_WITHIN_MS);
    });
    await Promise.race([Promise.all(answered), late]);
    clearTimeout(timer);
    // What they came to is written by whoever waited for it.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
