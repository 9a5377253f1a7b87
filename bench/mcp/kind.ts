/** What is measured: the SDK's own server or a served rig, with records in SQLite or in memory; each as a gateway to another server. */
export type Kind = "bare" | "toolrig" | "memory" | "bare gateway" | "gateway";
export type Transport = "stdio" | "http";

/** What stands before the names of the tools that a gateway passes on. */
export const GATEWAY_PREFIX = "up__";
