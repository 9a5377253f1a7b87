import { installPeers } from "../scripts/interop-peers.ts";
import { natsServer } from "../scripts/nats-server.ts";
import type { Benchmark } from "./benchmark.ts";
import { redisVersion } from "./fleet/redis-server.ts";
import { packageVersions, programVersion, type Versions } from "./versions.ts";

export interface Entry {
  /** One line: what is compared. Listed by `npm run bench list`. */
  claim: string;
  /** How long it takes, about. */
  minutes: number;
  /** The workspace packages that it measures. */
  packages: readonly string[];
  /** It needs none of the libraries in `bench/package.json`: what it is compared with is in the workspace. */
  withoutPeers?: true;
  /** What it is compared with. Read when everything is in place. */
  versions?(): Versions;
  /** Loaded only once peers and packages are in place. */
  load(): Promise<{ benchmark: Benchmark }>;
}

export const CATALOGUE: Readonly<Record<string, Entry>> = {
  call: {
    claim: "overhead of a call and of a batch, next to the raw function, the AI SDK and pi-agent-core",
    minutes: 4,
    packages: ["core", "telemetry"],
    versions: () => packageVersions("ai", "@earendil-works/pi-agent-core", "ajv"),
    load: () => import("./benchmarks/call.ts"),
  },
  json: {
    claim:
      "reading valid, broken and streamed JSON, next to JSON.parse, jsonrepair, partial-json and the AI SDK",
    minutes: 10,
    packages: ["json"],
    versions: () => packageVersions("jsonrepair", "partial-json", "ai"),
    load: () => import("./benchmarks/json.ts"),
  },
  loop: {
    claim:
      "long and wide agent loops, next to pi-agent-core, the AI SDK, LangGraph, OpenAI Agents and Mastra",
    minutes: 15,
    packages: ["core", "agent"],
    versions: () =>
      packageVersions(
        "@earendil-works/pi-agent-core",
        "ai",
        "@langchain/langgraph",
        "@openai/agents",
        "@mastra/core",
        "ajv",
      ),
    load: () => import("./benchmarks/loop.ts"),
  },
  records: {
    claim: "a million records: storing, finding and their size, and what recording costs a caller",
    minutes: 2,
    packages: ["core", "store"],
    load: () => import("./benchmarks/records.ts"),
  },
  waiting: {
    claim: "100,000 parked calls next to 100: one completion, a restart, and memory",
    minutes: 1,
    packages: ["core", "store"],
    load: () => import("./benchmarks/waiting.ts"),
  },
  spawn: {
    claim:
      "a command from a process that holds 1 GB: event loop blocked through the helper, next to a direct spawn",
    minutes: 1,
    packages: ["core", "toolkit"],
    load: () => import("./benchmarks/spawn.ts"),
  },
  search: {
    claim: "grep and glob on 100,000 files, next to ripgrep, find and fd, and the end of a file of 1 GB",
    minutes: 1,
    packages: ["core", "toolkit"],
    versions: () => ({
      ripgrep: programVersion("rg"),
      find: programVersion("find"),
      fd: programVersion("fd", "fdfind"),
    }),
    load: () => import("./benchmarks/search.ts"),
  },
  sandbox: {
    claim:
      "200 calls from a script next to the same calls made directly, and what a script saves of what a model is sent",
    minutes: 1,
    packages: ["core", "agent", "store", "sandbox"],
    load: () => import("./benchmarks/sandbox.ts"),
  },
  mcp: {
    claim:
      "tools/call of a served rig next to the bare SDK server, over stdio and HTTP, as a gateway, with 5,000 tools",
    withoutPeers: true,
    minutes: 5,
    packages: ["core", "agent", "store", "toolkit", "nats", "mcp", "cli"],
    versions: () => packageVersions("@modelcontextprotocol/server", "@modelcontextprotocol/client"),
    load: () => import("./benchmarks/mcp.ts"),
  },
  interop: {
    claim: "calls beneath other loops, next to the loops' own execution of the same tools",
    minutes: 2,
    packages: ["core", "interop"],
    versions: () =>
      packageVersions(
        "ai",
        "@openai/agents",
        "@langchain/langgraph",
        "@mastra/core",
        "@earendil-works/pi-agent-core",
      ),
    load: () => {
      installPeers(console.log);
      return import("./benchmarks/interop.ts");
    },
  },
  fleet: {
    claim: "calls through a fleet, next to raw NATS and BullMQ, each side a process of its own",
    minutes: 5,
    packages: ["core", "nats"],
    versions: () => ({
      "nats-server": programVersion(natsServer()),
      ...packageVersions("@nats-io/jetstream", "bullmq"),
      "redis-server": redisVersion(),
    }),
    load: () => import("./benchmarks/fleet.ts"),
  },
  "fleet-growth": {
    claim: "a million calls through a fleet: the last as fast as the first, and memory flat",
    minutes: 5,
    packages: ["core", "nats"],
    versions: () => ({ "nats-server": programVersion(natsServer()) }),
    load: () => import("./benchmarks/fleet-growth.ts"),
  },
};
