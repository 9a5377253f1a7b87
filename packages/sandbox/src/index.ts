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
