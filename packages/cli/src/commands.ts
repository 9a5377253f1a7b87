import type { CommandTable } from "./command.ts";

/**
 * Every command, in the order in which help lists them. A new one is a file and a line here. Each is loaded when it is
 * needed, so that none pays for what another imports.
 */
export const commands: CommandTable = {
  tools: async () => (await import("./commands/tools.ts")).tools,
  call: async () => (await import("./commands/call.ts")).call,
  run: async () => (await import("./commands/run.ts")).run,
  resume: async () => (await import("./commands/resume.ts")).resume,
  runs: async () => (await import("./commands/runs.ts")).runs,
  log: async () => (await import("./commands/log.ts")).log,
  show: async () => (await import("./commands/show.ts")).show,
  diff: async () => (await import("./commands/diff.ts")).diff,
  audit: async () => (await import("./commands/audit.ts")).audit,
  approvals: async () => (await import("./commands/approvals.ts")).approvals,
  policy: async () => (await import("./commands/policy.ts")).policy,
  worker: async () => (await import("./commands/worker.ts")).worker,
  fleet: async () => (await import("./commands/fleet.ts")).fleet,
  dlq: async () => (await import("./commands/dlq.ts")).dlq,
  repair: async () => (await import("./commands/repair.ts")).repair,
  extract: async () => (await import("./commands/extract.ts")).extract,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  completion: async () => (await import("./commands/completion.ts")).completion,
  help: async () => (await import("./commands/help.ts")).help,
};
