import type { CommandTable } from "../shell/command.ts";

/**
 * Every command, in the order in which help lists them. A new one is a file and a line here. Each is loaded when it is
 * needed, so that none pays for what another imports.
 */
export const commands: CommandTable = {
  init: async () => (await import("./init.ts")).init,
  tools: async () => (await import("./tools.ts")).tools,
  tool: async () => (await import("./tool.ts")).tool,
  call: async () => (await import("./call.ts")).call,
  code: async () => (await import("./code.ts")).code,
  run: async () => (await import("./run.ts")).run,
  resume: async () => (await import("./resume.ts")).resume,
  runs: async () => (await import("./runs.ts")).runs,
  log: async () => (await import("./log.ts")).log,
  show: async () => (await import("./show.ts")).show,
  open: async () => (await import("./open.ts")).open,
  settle: async () => (await import("./settle.ts")).settle,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./restore.ts")).restore,
  diff: async () => (await import("./diff.ts")).diff,
  audit: async () => (await import("./audit.ts")).audit,
  approvals: async () => (await import("./approvals.ts")).approvals,
  waiting: async () => (await import("./waiting.ts")).waiting,
  complete: async () => (await import("./complete.ts")).complete,
  answer: async () => (await import("./answer.ts")).answer,
  cancel: async () => (await import("./cancel.ts")).cancel,
  dev: async () => (await import("./dev.ts")).dev,
  serve: async () => (await import("./serve.ts")).serve,
  token: async () => (await import("./token.ts")).token,
  policy: async () => (await import("./policy.ts")).policy,
  mcp: async () => (await import("./mcp.ts")).mcp,
  worker: async () => (await import("./worker.ts")).worker,
  fleet: async () => (await import("./fleet.ts")).fleet,
  dlq: async () => (await import("./dlq.ts")).dlq,
  repair: async () => (await import("./repair.ts")).repair,
  extract: async () => (await import("./extract.ts")).extract,
  doctor: async () => (await import("./doctor.ts")).doctor,
  completion: async () => (await import("./completion.ts")).completion,
  help: async () => (await import("./help.ts")).help,
};
