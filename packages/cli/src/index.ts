/** Everything people import: the rig, the store and all of core's and agent's front doors. */

export type { Budgets as RunBudgets } from "@toolrig/agent";
export * from "@toolrig/agent";
export type { Budgets } from "@toolrig/core";
export * from "@toolrig/core";
export { openStore, type Store, type StoreOptions } from "@toolrig/store";
export { metricsOf, type Telemetry, type TelemetryOptions, telemetry } from "@toolrig/telemetry";
export { cliTool, toolkit } from "@toolrig/toolkit";
export { type Config, defineConfig } from "./config/config.ts";
export { type LoadedConfig, loadConfig } from "./config/load-config.ts";
export { type Rig, type RigOptions, type RigRunOptions, rig, type StoredRig } from "./rig/rig.ts";
