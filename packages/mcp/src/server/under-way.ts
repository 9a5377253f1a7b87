/** How long requests have to be answered when the server is closed: a call that is cancelled is answered at once. */
const ANSWERED_WITHIN_MS = 5_000;

const CLOSED = new Error("The server is closed.");

/** Whether it was aborted because the server is closed, so that the request is answered. */
export function isClosed({ reason }: AbortSignal): boolean {
  return reason === CLOSED;
}

/** Requests under way: when the server is closed, what they do is cancelled and they are answered, which the SDK does not. */
export class UnderWay {
  readonly #running = new Map<AbortController, Promise<unknown>>();

  /**
   * Runs the work of a request. Its signal aborts with the request, and when the server is closed. For a request of the SDK that
   * is a signal of its own: the SDK answers nothing once its own signal has aborted.
   */
  run<Answer>(
    request: AbortController | AbortSignal,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    if (request instanceof AbortController) return this.#follow(request, work(request.signal), () => {});
    const controller = new AbortController();
    const abort = () => controller.abort(request.reason);
    if (request.aborted) abort();
    request.addEventListener("abort", abort, { once: true });
    return this.#follow(controller, work(controller.signal), () =>
      request.removeEventListener("abort", abort),
    );
  }

  #follow<Answer>(controller: AbortController, answer: Promise<Answer>, leave: () => void): Promise<Answer> {
    const over = () => {
      leave();
      this.#running.delete(controller);
    };
    this.#running.set(controller, answer.then(over, over));
    return answer;
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
