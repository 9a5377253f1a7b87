import type { ToolContext } from "./context.ts";
import { ToolrigError } from "./failure.ts";
import { newId } from "./ids.ts";
import type { ToolResult } from "./result.ts";

const quiet = () => {};

/** The context of a raw dispatch: real identifiers, no deadline, nobody listening, no pipeline to call others through. */
export class BareContext implements ToolContext {
  readonly executionId = newId("exec");
  readonly callId = this.executionId;
  readonly idempotencyKey = this.executionId;
  readonly attempt = 1;
  readonly runId = undefined;
  readonly requestId = undefined;
  readonly stepName = undefined;
  readonly principal = undefined;
  readonly log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  readonly signal = new AbortController().signal;

  update(): void {}
  effect(): void {}

  call(name: string): Promise<ToolResult> {
    const message = `registry.execute() is raw dispatch, so ${name} cannot be called from inside a tool. Use an Executor.`;
    return Promise.reject(new ToolrigError("OPTION_INVALID", message));
  }
}
