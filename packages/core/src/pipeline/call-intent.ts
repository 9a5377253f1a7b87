import type { CallSource } from "../call/call.ts";
import { fingerprintOf } from "../call/fingerprint.ts";
import type { Intent } from "../stores/ledger.ts";
import type { Resolved } from "./execution.ts";

/** The fingerprint is made when it is first read: a ledger in memory needs it only for an id it has seen before. */
export class CallIntent implements Intent {
  readonly executionId: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly args: unknown;
  readonly callId: string;
  readonly runId: string | undefined;
  readonly principal: string | undefined;
  readonly source: CallSource | undefined;
  #fingerprint: string | undefined;

  constructor({ id, tool, args, options, call }: Resolved) {
    this.executionId = id;
    this.name = tool.name;
    this.version = tool.version;
    this.args = args;
    this.callId = call.id;
    this.runId = options.runId;
    this.principal = options.principal?.id;
    this.source = options.source;
  }

  get fingerprint(): string {
    this.#fingerprint ??= fingerprintOf(this, this.args);
    return this.#fingerprint;
  }
}
