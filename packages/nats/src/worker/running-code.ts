import type { AnyTool, ToolSource } from "@toolrig/core";
import { isThenable, wrapSource } from "@toolrig/core/kit";

interface Code {
  /** Starts of the tool that have not come to an end. */
  running: number;
  onEnd: ((ended: boolean) => void) | undefined;
}

type Steps = Pick<AsyncGenerator<unknown, unknown, undefined>, "next" | "return" | "throw">;

/**
 * Knows which code of tools still runs. A call that timed out or was cancelled has its answer, but a tool that does not
 * listen to its signal goes on: what it takes up is free when its code has ended.
 */
export class RunningCode {
  readonly #byExecution = new Map<string, Code>();
  #abandoned = false;

  /** The tools of a source, watched. */
  watch(source: ToolSource): ToolSource {
    return wrapSource(source, { change: (tool) => this.#watched(tool) });
  }

  /** Resolves true when no code of the execution runs any more, and false when some still does after `limitMs`. */
  ended(executionId: string, limitMs: number): true | Promise<boolean> {
    const code = this.#byExecution.get(executionId);
    if (code === undefined) return true;
    if (this.#abandoned) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      timer.unref();
      code.onEnd = (ended) => {
        clearTimeout(timer);
        resolve(ended);
      };
    });
  }

  /** The code of an execution never goes on. */
  leave(executionId: string): void {
    const code = this.#byExecution.get(executionId);
    this.#byExecution.delete(executionId);
    code?.onEnd?.(true);
  }

  /** Nothing is waited for any more. */
  abandon(): void {
    this.#abandoned = true;
    for (const { onEnd } of this.#byExecution.values()) onEnd?.(false);
  }

  resume(): void {
    this.#abandoned = false;
  }

  #watched(tool: AnyTool): AnyTool {
    return Object.freeze({
      ...tool,
      // A worker is at a call until it ends; who does not hold it leaves it there.
      backgroundMs: undefined,
      execute: (args: unknown, context: Parameters<AnyTool["execute"]>[1]) => {
        const answer: unknown = tool.execute(args, context);
        if (isThenable(answer)) return this.#until(context.executionId, Promise.resolve(answer));
        return isAsyncGenerator(answer) ? this.#steps(context.executionId, answer) : answer;
      },
    });
  }

  /** Every step of a generator runs code, and so does what it does when it is told to return. */
  #steps(executionId: string, generator: Steps): Steps & { [Symbol.asyncIterator](): unknown } {
    return {
      next: () => this.#until(executionId, generator.next()),
      return: (value) => this.#until(executionId, generator.return(value)),
      throw: (error) => this.#until(executionId, generator.throw(error)),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #until<T>(executionId: string, answer: Promise<T>): Promise<T> {
    const code = this.#byExecution.get(executionId) ?? { running: 0, onEnd: undefined };
    this.#byExecution.set(executionId, code);
    code.running += 1;
    const end = () => {
      code.running -= 1;
      if (code.running > 0) return;
      this.#byExecution.delete(executionId);
      code.onEnd?.(true);
    };
    answer.then(end, end);
    return answer;
  }
}

function isAsyncGenerator(value: unknown): value is Steps {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.prototype.toString.call(value) === "[object AsyncGenerator]"
  );
}
