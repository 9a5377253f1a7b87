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
}
