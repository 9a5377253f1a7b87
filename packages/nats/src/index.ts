export type { NatsOptions } from "./connection.ts";
export { type DeadLetter, DeadLetters } from "./dead-letters.ts";
export { NatsExecutor, type NatsExecutorOptions } from "./executor.ts";
export { Fleet, type FleetTool } from "./fleet.ts";
export { consumerName } from "./names.ts";
export type { FleetOptions } from "./setup.ts";
export type { DeliveryStage, Probe } from "./worker/call-runner.ts";
export type { Port, WorkerConfig } from "./worker/config.ts";
export { NatsWorker, type NatsWorkerOptions } from "./worker/worker.ts";
