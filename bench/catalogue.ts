import { installPeers } from "../scripts/interop-peers.ts";
import type { Benchmark } from "./benchmark.ts";

export interface Entry {
  /** One line: what is compared. Listed by `npm run bench`. */
  claim: string;
  /** The workspace packages that it measures. */
  packages: readonly string[];
  /** It needs none of the libraries in `bench/package.json`: what it is compared with is in the workspace. */
  withoutPeers?: true;
  /** Loaded only once peers and packages are in place. */
  load(): Promise<{ benchmark: Benchmark }>;
}

export const CATALOGUE: Readonly<Record<string, Entry>> = {
  call: {
    claim: "overhead of a call and of a batch, next to the raw function, the AI SDK and pi-agent-core",
    packages: ["core", "telemetry"],
    load: () => import("./benchmarks/call.ts"),
  },
  json: {
    claim:
      "reading valid, broken and streamed JSON, next to JSON.parse, jsonrepair, partial-json and the AI SDK",
    packages: ["core"],
    load: () => import("./benchmarks/json.ts"),
  },
  loop: {
    claim:
      "long and wide agent loops, next to pi-agent-core, the AI SDK, LangGraph, OpenAI Agents and Mastra",
    packages: ["core", "agent"],
    load: () => import("./benchmarks/loop.ts"),
  },
  records: {
    claim: "a million records: storing, finding and their size, and what recording costs a caller",
    packages: ["core", "store"],
    load: () => import("./benchmarks/records.ts"),
  },
  waiting: {
    claim: "100,000 parked calls next to 100: one completion, a restart, and memory",
    packages: ["core", "store"],
    load: () => import("./benchmarks/waiting.ts"),
  },
  spawn: {
    claim:
      "a command from a process that holds 1 GB: event loop blocked through the helper, next to a direct spawn",
    packages: ["core", "toolkit"],
    load: () => import("./benchmarks/spawn.ts"),
  },
  search: {
    claim: "grep and glob on 100,000 files, next to ripgrep, find and fd, and the end of a file of 1 GB",
    packages: ["core", "toolkit"],
    load: () => import("./benchmarks/search.ts"),
  },
  sandbox: {
    claim:
      "200 calls from a script next to the same calls made directly, and what a script saves of what a model is sent",
    packages: ["core", "agent", "store", "sandbox"],
    load: () => import("./benchmarks/sandbox.ts"),
  },
  mcp: {
    claim:
      "tools/call of a served rig next to the bare SDK server, over stdio and HTTP, as a gateway, with 5,000 tools",
    withoutPeers: true,
    packages: ["core", "agent", "store", "toolkit", "nats", "mcp", "cli"],
    load: () => import("./benchmarks/mcp.ts"),
  },
  interop: {
    claim: "calls beneath other loops, next to the loops' own execution of the same tools",
    packages: ["core", "interop"],
    load: () => {
      installPeers(console.log);
      return import("./benchmarks/interop.ts");
    },
  },
  fleet: {
    claim: "calls through a fleet, next to raw NATS and BullMQ, each side a process of its own",
    packages: ["core", "nats"],
    load: () => import("./benchmarks/fleet.ts"),
  },
  "fleet-growth": {
    claim: "a million calls through a fleet: the last as fast as the first, and memory flat",
    packages: ["core", "nats"],
    load: () => import("./benchmarks/fleet-growth.ts"),
  },
};
