export { type CodeRig, type RunCodeOptions, runCode } from "./code/run-code.ts";
export {
  type DynamicRig,
  type DynamicTools,
  type DynamicToolsOptions,
  dynamicTools,
} from "./dynamic/dynamic-tools.ts";
export type { Field } from "./dynamic/field.ts";
export type { MadeTool, Recipe, Use } from "./dynamic/recipe.ts";
export type { ShelvedTool } from "./dynamic/shelf.ts";
export type { SandboxLimits } from "./engine/limits.ts";
export type {
  CallAnswer,
  CallError,
  CodeError,
  LimitName,
  SandboxCall,
  SandboxHost,
  SandboxLog,
  SandboxOutcome,
  SandboxRun,
} from "./engine/run.ts";
export { Sandbox, type SandboxOptions, type SandboxResume } from "./engine/sandbox.ts";
export { type DeclarationOptions, declarations } from "./typescript/declarations.ts";
