/**
 * A worker process whose calls wait for the world. It writes a line an effect into a file, and dies at the step that a call
 * names, the first time that the call gets there.
 */
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deferred, tool } from "@toolrig/core";
import { NatsWorker } from "@toolrig/nats";

const [servers = "", folder = ""] = process.argv.slice(2);

interface Args {
  job: string;
  dieAt?: string;
}

const input = {
  type: "object",
  properties: { job: { type: "string" }, dieAt: { type: "string" } },
  required: ["job"],
} as const;
const safety = { sideEffects: "external", idempotent: false } as const;

function dieOnce(stage: string, given: unknown): void {
  const { job, dieAt } = given as Args;
  const mark = join(folder, `died-${job}`);
  if (stage !== dieAt || existsSync(mark)) return;
  writeFileSync(mark, stage);
  process.kill(process.pid, "SIGKILL");
}

const effect = (job: string) => appendFileSync(join(folder, "effects"), `${job}\n`);

const deploy = (name: string, more: object) =>
  tool({
    name,
    description: "Begin something whose result comes later",
    input,
    output: { type: "string" },
    safety,
    ...more,
    execute(args: Args, { executionId, token }) {
      effect(args.job);
      writeFileSync(join(folder, `token-${args.job}`), JSON.stringify({ executionId, token }));
      return deferred({ ref: args.job });
    },
    cancel: (_: unknown, { args }) => dieOnce("cancelling", args),
  });

const tools = [
  deploy("completed", {}),
  deploy("cancelled", {}),
  deploy("expired", { wait: { expires: "1500ms" } }),
  deploy("checked", {
    wait: { every: "200ms", maxEvery: "400ms" },
    check(_: unknown, { args, checks }: { args: unknown; checks: number }) {
      dieOnce("checking", args);
      return checks >= 2 ? "live" : undefined;
    },
  }),
  tool({
    name: "asked",
    description: "Ask before it acts",
    input,
    safety,
    async execute({ job }: Args, { ask }) {
      const day = await ask({ message: "Which day?" });
      effect(job);
      return day.status === "answered" ? day.value : day.status;
    },
  }),
];

const worker = new NatsWorker({
  nats: { servers, maxReconnectAttempts: -1, reconnectTimeWait: 100 },
  fleet: { ackWait: "500ms" },
  tools,
  hooks: { afterCall: ({ args }) => dieOnce("settling", args) },
  probe: (stage, { call }) => dieOnce(stage, call.arguments),
});
await worker.start();
process.send?.("ready");
