/** The plan of the house: which packages each may import, the order of the rooms inside them, and how wide doors may be. */

/** The packages of this workspace that the sources of each may import, types included. Tests may import others. */
export const STANDS_ON: Readonly<Record<string, readonly string[]>> = {
  json: [],
  extract: ["json"],
  core: ["json", "extract"],
  agent: ["json", "extract", "core"],
  store: ["core"],
  nats: ["core"],
  toolkit: ["core"],
  mcp: ["core"],
  sandbox: ["core"],
  telemetry: ["core"],
  interop: ["json", "extract", "core"],
  server: ["core", "agent", "store", "mcp", "telemetry"],
  cli: [
    "json",
    "extract",
    "core",
    "agent",
    "store",
    "nats",
    "toolkit",
    "mcp",
    "sandbox",
    "telemetry",
    "interop",
    "server",
  ],
};

/** Packages that people install for themselves: they import nothing from npm and nothing of Node. */
export const SELF_CONTAINED: readonly string[] = ["json", "extract"];

/**
 * A room imports from itself and from rooms before it, types included. "" is what lies beside the rooms. A package with this one
 * alone is one room, folders included.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  json: [""],
  extract: [""],
  core: [
    "",
    "failure",
    "options",
    "network",
    "call",
    "schema",
    "coerce",
    "tool",
    "stores",
    "guards",
    "source",
    "recording",
    "pipeline",
    "testing",
  ],
  agent: ["model", "engines", "select", "run", "calls", "loop", "plan", "ui"],
  store: ["database", "records", "diff", ""],
  nats: ["wire", "fleet", "store", "caller", "worker"],
  toolkit: ["confine", "files", "search", "process", "http", "data", ""],
  mcp: ["defence", "wire", "client", "server", ""],
  sandbox: ["engine", "typescript", "code", "dynamic", ""],
  telemetry: ["traces", "metrics", ""],
  interop: ["beneath", "schema", "vendors", "ai-sdk", "langchain", "mastra", "openai-agents", "pi", ""],
  server: ["", "schemas", "http", "security", "views", "live", "routes", "app"],
  cli: ["rig", "terminal", "shell", "config", "commands", "tour", "demo", ""],
};

/** Phases of the pipeline that know nothing of each other. What two of them need stands beside them. */
export const APART: readonly string[] = [
  "packages/core/src/pipeline/prepare/",
  "packages/core/src/pipeline/execute/",
  "packages/core/src/pipeline/settle/",
];

/**
 * Sources that may call a tool context's `ask`. Once the call is parked its promise never settles, so that a `finally`, a counter or a lock
 * behind it is never released. Others go by `askInAttempt`, which rejects.
 */
export const MAY_ASK: readonly string[] = [
  "packages/cli/src/demo/tools.ts",
  "packages/core/src/source/ask-user.ts",
  "packages/interop/src/mastra/from-mastra.ts",
  "packages/mcp/src/client/ask-in-attempt.ts",
];

export interface Door {
  name: string;
  file: string;
  /** The largest number of names that it may give out. */
  most: number;
  /** It is nothing but types that both sides keep to. */
  isContract?: boolean;
  /** The replacement of a door that will be removed. */
  deprecated?: string;
}

export const DOORS: readonly Door[] = [
  { name: "@toolrig/json", file: "packages/json/src/index.ts", most: 20 },
  { name: "@toolrig/json/kit", file: "packages/json/src/kit.ts", most: 11 },
  { name: "@toolrig/extract", file: "packages/extract/src/index.ts", most: 20 },
  { name: "@toolrig/core", file: "packages/core/src/index.ts", most: 156 },
  { name: "@toolrig/core/kit", file: "packages/core/src/kit.ts", most: 219 },
  {
    name: "@toolrig/core/json",
    file: "packages/core/src/json.ts",
    most: 20,
    deprecated: "Import `coerce` from `@toolrig/core` and everything else from `@toolrig/json`.",
  },
  {
    name: "@toolrig/core/extract",
    file: "packages/core/src/extract.ts",
    most: 20,
    deprecated: "Import from `@toolrig/extract`.",
  },
  { name: "@toolrig/core/testing", file: "packages/core/src/testing/index.ts", most: 40 },
  { name: "@toolrig/agent", file: "packages/agent/src/index.ts", most: 100 },
  { name: "@toolrig/store", file: "packages/store/src/index.ts", most: 41 },
  { name: "@toolrig/nats", file: "packages/nats/src/index.ts", most: 43 },
  { name: "@toolrig/toolkit", file: "packages/toolkit/src/index.ts", most: 50 },
  { name: "@toolrig/mcp", file: "packages/mcp/src/index.ts", most: 40 },
  { name: "@toolrig/mcp/client", file: "packages/mcp/src/client.ts", most: 25 },
  { name: "@toolrig/sandbox", file: "packages/sandbox/src/index.ts", most: 30 },
  { name: "@toolrig/telemetry", file: "packages/telemetry/src/index.ts", most: 20 },
  { name: "@toolrig/interop", file: "packages/interop/src/index.ts", most: 30 },
  { name: "@toolrig/interop/ai-sdk", file: "packages/interop/src/ai-sdk/index.ts", most: 20 },
  { name: "@toolrig/interop/langchain", file: "packages/interop/src/langchain/index.ts", most: 20 },
  { name: "@toolrig/interop/mastra", file: "packages/interop/src/mastra/index.ts", most: 20 },
  {
    name: "@toolrig/interop/openai-agents",
    file: "packages/interop/src/openai-agents/index.ts",
    most: 20,
  },
  { name: "@toolrig/interop/pi", file: "packages/interop/src/pi/index.ts", most: 20 },
  { name: "@toolrig/server", file: "packages/server/src/index.ts", most: 60 },
  { name: "@toolrig/server/wire", file: "packages/server/src/wire.ts", most: 50, isContract: true },
  { name: "toolrig", file: "packages/cli/src/index.ts", most: 290 },
];

/** Non-null assertions in 1,000 lines of source: each says that the types should know more. */
const MAX_ASSERTIONS = 2.5;

/** The parser reads characters of an array by index, within bounds that it has checked. */
const MAX_ASSERTIONS_IN: Readonly<Record<string, number>> = { json: 5.5 };

export function maxAssertionsIn(name: string): number {
  return MAX_ASSERTIONS_IN[name] ?? MAX_ASSERTIONS;
}
