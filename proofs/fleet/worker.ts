/**
 * A worker process of the fleet proofs. Its tools write a line a call into a file: what stands there has happened. A call
 * can ask that the process dies or is paused at a certain point, the first time it gets there.
 */
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "@toolrig/core";
import { NatsWorker } from "@toolrig/nats";

const [url, folder] = process.argv.slice(2) as [string, string];
const servers = url.split(",");
const input = {
  type: "object",
  properties: {
    number: { type: "integer" },
    dieAt: { type: "string" },
    pauseAt: { type: "string" },
    bytes: { type: "integer" },
    ms: { type: "number" },
    updates: { type: "integer" },
  },
  required: ["number"],
} as const;

interface Args {
  number: number;
  dieAt?: string;
  pauseAt?: string;
  bytes?: number;
  ms?: number;
  updates?: number;
}

function dieOnce(stage: string, { number, dieAt }: Args): void {
  if (dieAt === stage) signalOnce(`died-${number}`, "SIGKILL");
}

function pauseOnce(stage: string, { number, pauseAt }: Args): void {
  if (pauseAt === stage) signalOnce(`paused-${number}`, "SIGSTOP");
}

function signalOnce(name: string, signal: NodeJS.Signals): void {
  const mark = join(folder, name);
  if (existsSync(mark)) return;
  writeFileSync(mark, signal);
  process.kill(process.pid, signal);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const make = (name: string, idempotent: boolean) =>
  tool({
    name,
    description: name,
    input,
    safety: { sideEffects: "external", idempotent },
    async execute(args: Args, context) {
      dieOnce("before-effect", args);
      appendFileSync(join(folder, "effects"), `${name} ${args.number}\n`);
      if (args.pauseAt !== undefined) writeFileSync(join(folder, `at-${args.number}`), String(Date.now()));
      dieOnce("after-effect", args);
      for (let update = 1; update <= (args.updates ?? 0); update++) {
        context.update({ details: update });
        if (update % 20 === 0) await pause(0);
      }
      await pause(args.ms ?? Math.random() * 10);
      return args.bytes === undefined ? args.number : "x".repeat(args.bytes);
    },
  });

/** Notes when it starts and who called; how often it may, the fleet decides. */
const limited = tool({
  name: "limited",
  description: "Starts at a limited rate",
  input: { type: "object", properties: { by: { type: "string" } } },
  safety: { sideEffects: "none" },
  rate: { limit: Number(process.env.RATE ?? 100), per: "1s" },
  execute({ by = "" }) {
    const at = performance.timeOrigin + performance.now();
    appendFileSync(join(folder, "starts"), `${JSON.stringify({ at, by })}\n`);
    return "ok";
  },
});

const worker = new NatsWorker({
  nats: { servers },
  tools: [make("once", false), make("again", true), limited],
  config: { concurrency: 32 },
  fleet: {
    ackWait: "1s",
    ...(process.env.REPLICAS !== undefined && { replicas: Number(process.env.REPLICAS) }),
  },
  maxContent: 10_000_000,
  probe(stage, { call }) {
    dieOnce(stage, call.arguments as Args);
    pauseOnce(stage, call.arguments as Args);
  },
});
await worker.start();
process.on("SIGTERM", () => void worker.stop("10s").then(() => process.exit(0)));
process.send?.("ready");
