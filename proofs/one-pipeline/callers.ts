/** Everybody who can make a call. Each makes one, and what was recorded of it is what the proof compares. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { AgentLoop, PlanExecutor, scriptedEngine } from "@toolrig/agent";
import { Executor, replaying, tool } from "@toolrig/core";
import { mcpServer } from "@toolrig/mcp";
import { NatsExecutor, NatsWorker } from "@toolrig/nats";
import { runCode } from "@toolrig/sandbox";
import { openStore, type Store } from "@toolrig/store";
import { rig } from "toolrig";
import { RULES, TOOLS } from "./house.ts";

export interface Called {
  name: string;
  args: { n: unknown };
}

/** Makes the call, and returns once it is in the store at `path`. */
export type Caller = (called: Called, path: string) => Promise<void>;

const call = ({ name, args }: Called) => ({ id: "call_1", name, arguments: args });

/** Calls go through an executor of its own, whose records are in the store when it is done. */
function inProcess(make: (executor: Executor, called: Called) => Promise<unknown>): Caller {
  return async (called, path) => {
    const store = openStore(path);
    const executor = new Executor({ tools: [...TOOLS, relay, script], ...storesOf(store), ...RULES });
    await make(executor, called);
    await executor.drain();
    await store.close();
  };
}

const storesOf = ({ records, ledger, artifacts }: Store) => ({ store: records, ledger, artifacts });

/** A tool that makes the call. */
const relay = tool({
  name: "relay",
  description: "Calls another tool",
  input: { type: "object" },
  safety: { sideEffects: "none" },
  execute: ({ name, args }, context) => context.call(String(name), args),
});

const script = runCode({ tools: TOOLS });

/** A script that a model wrote, in the sandbox. */
const scripted = (executor: Executor, { name, args }: Called) => {
  const code = `return await tools.${name}(${JSON.stringify(args)});`;
  return executor.call({ id: "outer", name: "run_code", arguments: { code } });
};

/** A client of MCP, as it speaks to a server over HTTP. */
const mcpClient = async (executor: Executor, { name, args }: Called) => {
  const served = mcpServer({ executor });
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": version,
    "mcp-method": "tools/call",
    "mcp-name": name,
  };
  const params = { name, arguments: args, _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const answer = await served.fetch(
    new Request("http://127.0.0.1:7420/mcp", { method: "POST", headers, body }),
  );
  await answer.text();
  await served.close();
};

const loop = (executor: Executor, { name, args }: Called) => {
  const engine = scriptedEngine([{ calls: [{ name, arguments: args }] }, "done"]);
  return new AgentLoop({ engine, tools: TOOLS, executor }).run("go").outcome;
};

const prose = (executor: Executor, { name, args }: Called) => {
  const text = `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
  return new AgentLoop({ engine: scriptedEngine([text, "done"]), tools: TOOLS, executor, extract: true }).run(
    "go",
  ).outcome;
};

/** The value comes from the plan's input, so that only the run can tell whether it fits. */
const plan = (executor: Executor, { name, args }: Called) => {
  const input = Object.fromEntries(
    Object.keys(args).map((key) => [key, { $from: "input", path: `/${key}` }]),
  );
  const steps = [{ name: "step", kind: "tool", tool: name, input }];
  return new PlanExecutor({ tools: TOOLS, executor }).run({ steps }, { input: args }).outcome;
};

const main = join(import.meta.dirname, "..", "..", "packages", "cli", "src", "main.ts");
const config = join(import.meta.dirname, "toolrig.config.ts");

export const commandLine: Caller = ({ name, args }, path) => {
  const given = [
    "--conditions=@toolrig/source",
    main,
    "call",
    name,
    JSON.stringify(args),
    "--config",
    config,
  ];
  const env = { PATH: process.env.PATH, NODE_NO_WARNINGS: "1", STORE: path };
  // What it exits with is the failure's own code.
  return new Promise((resolve) => {
    execFile(process.execPath, given, { env }, () => resolve());
  });
};

/** Through a server, to a worker. */
export function fleet(url: string): Caller {
  return async (called, path) => {
    const store = openStore(path);
    const nats = { servers: url };
    const worker = new NatsWorker({ nats, tools: TOOLS, globalTools: false, ...storesOf(store), ...RULES });
    await worker.start();
    const executor = await NatsExecutor.connect({ nats });
    try {
      await executor.call(call(called));
    } finally {
      await executor.close();
      await worker.stop();
      await store.close();
    }
  };
}

export const PROSE = "a call in prose";

export const CALLERS: Readonly<Record<string, Caller>> = {
  direct: inProcess((executor, called) => executor.call(call(called))),
  batch: inProcess((executor, called) => executor.batch([call(called)])),
  "text of a model": inProcess((executor, { name, args }) =>
    executor.call({ id: "call_1", name, arguments: JSON.stringify(args) }),
  ),
  nested: inProcess((executor, called) =>
    executor.call({ id: "outer", name: "relay", arguments: { ...called } }),
  ),
  script: inProcess(scripted),
  "MCP client": inProcess(mcpClient),
  loop: inProcess(loop),
  [PROSE]: inProcess(prose),
  plan: inProcess(plan),
  rig: async (called, path) => {
    const made = rig({ tools: [...TOOLS], store: path, ...RULES });
    await made.call(call(called));
    await made.close();
  },
  "lenient replay": inProcess((executor, called) =>
    replaying(executor, [], { mode: "lenient" }).call(call(called)),
  ),
};
