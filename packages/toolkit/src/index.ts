export { backgroundProcesses } from "./process/background.ts";
export { type CliToolSpec, cliTool, option } from "./process/cli-tool.ts";
export type { EnvironmentOptions } from "./process/environment.ts";
export type { Isolation } from "./process/isolation.ts";
export type { LimitOptions } from "./process/limits.ts";
export type { ProcessOptions } from "./process/options.ts";
export { Processes } from "./process/processes.ts";
export type { CommandValue } from "./process/run.ts";
export { bash, runCommand } from "./process/run-command.ts";
