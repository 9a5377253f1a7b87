import type { Principal } from "@toolrig/core";

/** What a fleet is asked for by the server. `@toolrig/nats` has it: a `Fleet` and `DeadLetters`. */
export interface FleetView {
  workers(): readonly {
    id: string;
    startedAt: number;
    at: number;
    running: number;
    ran?: number;
    failed?: number;
    tools: readonly { name: string; version?: string; slots?: number }[];
  }[];
  queues(): Promise<readonly { consumer: string; subject: string; waiting: number; running: number }[]>;
  deadLetters(limit: number): Promise<readonly { seq: number; tool: string; reason: string; at: number }[]>;
  /**
   * Back into its queue. One that workers refused goes as a new call of `by`. Resolves with its new execution, where it is a call.
   * Rejects with `OPTION_INVALID` where there is none of that number, with `STORE_FAILED` where it cannot be sent again.
   */
  retryDeadLetter(seq: number, by: Principal): Promise<string | undefined>;
  /** Rejects with `OPTION_INVALID` where there is none of that number. */
  dropDeadLetter(seq: number): Promise<void>;
}
