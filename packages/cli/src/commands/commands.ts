import type { CommandTable } from "../shell/command.ts";

/**
 * Every command, in the order in which help lists them. A new one is a file and an entry here. The overview needs nothing but this
 * table; the module of a command is loaded when the command is needed.
 */
export const commands: CommandTable = {
  init: {
    summary: "Write a config, a sample tool and its test",
    load: async () => (await import("./init.ts")).init,
  },
  tools: {
    summary: "List the tools, and which are available; or say what models will stumble over",
    load: async () => (await import("./tools.ts")).tools,
  },
  tool: {
    summary: "Make, list, show, remove and try tools that were made at run time",
    load: async () => (await import("./tool.ts")).tool,
  },
  call: {
    summary: "Call a tool through the whole pipeline",
    load: async () => (await import("./call.ts")).call,
  },
  code: {
    summary: "Run a TypeScript script in which every tool is a function",
    load: async () => (await import("./code.ts")).code,
  },
  run: {
    summary: "Give a task to a model, with the configured tools",
    load: async () => (await import("./run.ts")).run,
  },
  resume: {
    summary: "Continue an interrupted run, repeating nothing that has happened",
    load: async () => (await import("./resume.ts")).resume,
  },
  runs: {
    summary: "List runs, the latest first",
    load: async () => (await import("./runs.ts")).runs,
  },
  log: {
    summary: "Show recorded calls, the latest last",
    load: async () => (await import("./log.ts")).log,
  },
  show: {
    summary: "Show everything that is known of an execution or a run",
    load: async () => (await import("./show.ts")).show,
  },
  open: {
    summary: "List side effects that may or may not have happened",
    load: async () => (await import("./open.ts")).open,
  },
  settle: {
    summary: "Say what became of a side effect that is in doubt",
    load: async () => (await import("./settle.ts")).settle,
  },
  backup: {
    summary: "Copy the store to a file while others write to it",
    load: async () => (await import("./backup.ts")).backup,
  },
  restore: {
    summary: "Put a backup in the place of the store",
    load: async () => (await import("./restore.ts")).restore,
  },
  diff: {
    summary: "Show what a run changed as a patch, and the processes it ran",
    load: async () => (await import("./diff.ts")).diff,
  },
  audit: {
    summary: "Verify the chain of records, export them, or list administrative changes",
    load: async () => (await import("./audit.ts")).audit,
  },
  approvals: {
    summary: "Answer calls that wait for approval",
    load: async () => (await import("./approvals.ts")).approvals,
  },
  waiting: {
    summary: "List what calls wait for",
    load: async () => (await import("./waiting.ts")).waiting,
  },
  complete: {
    summary: "Give the result of a call that waits for one",
    load: async () => (await import("./complete.ts")).complete,
  },
  answer: {
    summary: "Answer a question that a tool asks",
    load: async () => (await import("./answer.ts")).answer,
  },
  cancel: {
    summary: "End what a call waits for",
    load: async () => (await import("./cancel.ts")).cancel,
  },
  dev: {
    summary: "Serve the configured tools while you work on them: what changes is read anew",
    load: async () => (await import("./dev.ts")).dev,
  },
  serve: {
    summary: "Serve the configured tools over HTTP: console, API, live events, MCP",
    load: async () => (await import("./serve.ts")).serve,
  },
  token: {
    summary: "Make, list and revoke the tokens with which clients come to toolrig serve",
    load: async () => (await import("./token.ts")).token,
  },
  policy: {
    summary: "Show what the policy says to a call, or test it against a table",
    load: async () => (await import("./policy.ts")).policy,
  },
  mcp: {
    summary: "Serve the configured tools over MCP; add MCP servers, accept what changed",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  worker: {
    summary: "Run the configured tools for a fleet on NATS JetStream",
    load: async () => (await import("./worker.ts")).worker,
  },
  fleet: {
    summary: "Show the tools and workers of a fleet, or configure its server",
    load: async () => (await import("./fleet.ts")).fleet,
  },
  dlq: {
    summary: "List calls that no worker will run any more; retry or drop them",
    load: async () => (await import("./dlq.ts")).dlq,
  },
  repair: {
    summary: "Repair the JSON in a file, or on standard input",
    load: async () => (await import("./repair.ts")).repair,
  },
  extract: {
    summary: "Find the tool calls that a model wrote as text, in a file or on standard input",
    load: async () => (await import("./extract.ts")).extract,
  },
  doctor: {
    summary: "Check Node, the config, tools, store, model, MCP servers and fleet",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  completion: {
    summary: "Print a completion script for a shell",
    load: async () => (await import("./completion.ts")).completion,
  },
  help: {
    summary: "Explain a command, or list all of them",
    load: async () => (await import("./help.ts")).help,
  },
};
