import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AgentLoop, scriptedEngine } from "@toolrig/agent";
import { type CallExecutor, Executor, tool } from "@toolrig/core";
import { NatsExecutor, NatsWorker } from "@toolrig/nats";
import { startNats } from "../../scripts/start-nats.ts";
import type { ProofMode } from "../proof.ts";
import type { Check } from "./check.ts";

const input = {
  type: "object",
  properties: {
    path: { type: "string" },
    content: { type: "string" },
    mode: { type: "integer" },
    edits: { type: "array", items: { type: "object" } },
  },
  required: ["path"],
} as const;

interface Document {
  name: string;
  value: { path: string };
  text: string;
}

/** Valid calls of a tool that writes, with contents full of brackets and quotes. */
function documents(): Document[] {
  const source = readFileSync(join(import.meta.dirname, "../../packages/json/src/string.ts"), "utf8");
  const document = (name: string, value: Document["value"], indent?: number): Document => ({
    name,
    value,
    text: JSON.stringify(value, null, indent),
  });
  const edits = [
    { old: source.slice(0, 300), new: source.slice(300, 600) },
    { old: "}", new: "]}" },
  ];
  return [
    document("a small call", { path: "/a.js", content: "if (x) { y(); }" } as Document["value"]),
    document("numbers at the end", { path: "/a", mode: 1234567 } as Document["value"]),
    document("a list of edits", { path: "/a.ts", edits } as Document["value"], 2),
    document("9 kB of TypeScript", { path: "/a.ts", content: source.slice(0, 9_000) } as Document["value"]),
    document("content first", { content: source.slice(0, 4_000), path: "/a.ts" } as Document["value"]),
  ];
}

interface Writer {
  /** What was written since the last call of it. */
  written(): unknown[];
  executor: CallExecutor;
  close(): Promise<void>;
}

function writing(log: unknown[]) {
  const write = tool({
    name: "write_file",
    description: "Write a file",
    input,
    safety: { sideEffects: "write", idempotent: true },
    execute: (args) => void log.push(args),
  });
  const plan = tool({
    name: "plan_write",
    description: "Only reads, and lets another tool write",
    input,
    safety: { sideEffects: "read" },
    execute: async (args, { call }) => void (await call("write_file", args)),
  });
  return [write, plan];
}

function localWriter(): Writer {
  const log: unknown[] = [];
  const executor = new Executor({ tools: writing(log) });
  return { executor, written: () => log.splice(0), close: async () => {} };
}

async function fleetWriter(): Promise<Writer> {
  const log: unknown[] = [];
  const server = await startNats();
  const worker = new NatsWorker({ nats: { servers: server.url }, tools: writing(log) });
  await worker.start();
  const executor = await NatsExecutor.connect({ nats: { servers: server.url } });
  return {
    executor,
    written: () => log.splice(0),
    async close() {
      await executor.close();
      await worker.stop(0);
      await server.close();
    },
  };
}

/** Every prefix of a text, or so many of them, evenly spread and with every one that ends behind a bracket. */
function prefixes(text: string, most: number): string[] {
  const step = Math.max(1, Math.ceil(text.length / most));
  const cuts = Array.from({ length: text.length - 1 }, (_, index) => index + 1);
  return cuts
    .filter((cut) => cut % step === 0 || (most > 500 && /[}\]"]/.test(text.charAt(cut - 1))))
    .map((cut) => text.slice(0, cut));
}

type Way = (writer: Writer, text: string) => Promise<unknown>;

const direct: Way = ({ executor }, text) => executor.call({ id: "c", name: "write_file", arguments: text });
const nested: Way = ({ executor }, text) => executor.call({ id: "c", name: "plan_write", arguments: text });
/** A vendor that says that the response is complete, whatever it is. */
const looped: Way = ({ executor }, text) => {
  const engine = scriptedEngine([
    { calls: [{ name: "write_file", arguments: text }], finish: "tool-calls" },
    "done",
  ]);
  return new AgentLoop({ engine, executor, extract: false }).run("go").outcome;
};

async function proveWay(check: Check, name: string, writer: Writer, way: Way, most: number): Promise<void> {
  for (const document of documents()) {
    let cuts = 0;
    let wrong = 0;
    for (const text of prefixes(document.text, most)) {
      await way(writer, text);
      cuts += 1;
      wrong += writer.written().filter((args) => !isDeepStrictEqual(args, document.value)).length;
    }
    await way(writer, document.text);
    const whole = writer.written().length === 1;
    const detail = `${wrong} of ${cuts} prefixes wrote something else${whole ? "" : "; the whole did not write"}`;
    check(`cut ${name}: ${document.name}`, wrong === 0 && whole, detail);
  }
}

/** A tool that writes never runs on a part of a call, whichever way the call comes. */
export async function proveCuts(check: Check, mode: ProofMode): Promise<void> {
  const full = mode === "full";
  const local = localWriter();
  await proveWay(check, "executor", local, direct, full ? Number.POSITIVE_INFINITY : 400);
  await proveWay(check, "nested in a read", local, nested, full ? Number.POSITIVE_INFINITY : 200);
  await proveWay(check, "loop", local, looped, full ? 3_000 : 60);
  const fleet = await fleetWriter();
  try {
    await proveWay(check, "fleet", fleet, direct, full ? 1_000 : 20);
  } finally {
    await fleet.close();
  }
}
