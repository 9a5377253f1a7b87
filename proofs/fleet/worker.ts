/**
 * A worker process of the fleet proofs. Its tools write a line a call into a file: what stands there has happened. A call
 * can ask that the process dies at a certain point, the first time it gets there.
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
    ms: { type: "number" },
    updates: { type: "integer" },
  },
  required: ["number"],
} as const;

interface Args {
  number: number;
  dieAt?: string;
  ms?: number;
  updates?: number;
}

function dieOnce(stage: string, { number, dieAt }: Args): void {
  const mark = join(folder, `died-${number}`);
  if (dieAt !== stage || existsSync(mark)) return;
  writeFileSync(mark, stage);
  process.kill(process.pid, "SIGKILL");
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
      dieOnce("after-effect", args);
      for (let update = 1; update <= (args.updates ?? 0); update++) {
        context.update({ details: update });
        if (update % 20 === 0) await pause(0);
      }
      await pause(args.ms ?? Math.random() * 10);
      return args.number;
    },
  });

/** Notes when it starts; how often it may, the fleet decides. */
const limited = tool({
  name: "limited",
  description: "Starts at a limited rate",
  input: { type: "object" },
  safety: { sideEffects: "none" },
  rate: { limit: Number(process.env.RATE ?? 100), per: "1s" },
  execute() {
    appendFileSync(join(folder, "starts"), `${performance.timeOrigin + performance.now()}\n`);
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
  probe: (stage, { call }) => dieOnce(stage, call.arguments as Args),
});
await worker.start();
process.on("SIGTERM", () => void worker.stop("10s").then(() => process.exit(0)));
process.send?.("ready");
