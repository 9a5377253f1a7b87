import { isDeepStrictEqual } from "node:util";
import { Sandbox, type SandboxLog, type SandboxOutcome } from "@toolrig/sandbox";
import type { Attack } from "./attack.ts";

/** What nothing that comes out of the sandbox may hold: a secret of the process, and what tells of its files. */
export const SECRET = "canary-7f3a91";
const HOST_WORDS = [
  SECRET,
  import.meta.dirname,
  "node_modules",
  "node:internal",
  process.version,
  process.execPath,
];

const PROTOTYPES = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Promise.prototype,
];
const OWN_KEYS = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

/** Where attacks are made: one sandbox with one place, so that the next run stands where the last one did. */
export class Stage {
  #sandbox = new Sandbox({ size: 1, limits: { time: "60s" } });

  /** Makes an attack, and runs something honest after it. Returns what went wrong. */
  async make(attack: Attack): Promise<string | undefined> {
    process.env.TOOLRIG_PROOF_SECRET = SECRET;
    const logs: SandboxLog[] = [];
    const { code, limits } = attack;
    const outcome = await this.#sandbox.run({
      code,
      globals: { input: { a: 1 } },
      tools: ["echo"],
      ...(limits !== undefined && { limits }),
      onCall: ({ args }) => attack.onCall?.(args) ?? { status: "done", value: args },
      onLog: (line) => logs.push(line),
    });
    return missOf(attack, outcome) ?? escapeIn(outcome, logs) ?? (await this.#next());
  }

  close(): void {
    this.#sandbox.close();
  }

  async #next(): Promise<string | undefined> {
    const next = await this.#sandbox.run({
      code: "return (await tools.echo(6)) * 7",
      tools: ["echo"],
      onCall: ({ args }) => ({ status: "done", value: args }),
    });
    return next.status === "returned" && next.value === 42 ? undefined : `the next run is ${next.status}`;
  }
}

function missOf({ ends, value, ...attack }: Attack, outcome: SandboxOutcome): string | undefined {
  const end = outcome.status === "limit" ? outcome.limit : outcome.status;
  const said =
    "message" in outcome ? `: ${outcome.message}` : "error" in outcome ? `: ${outcome.error.message}` : "";
  if (!ends.includes(end)) return `it is ${end}${said.slice(0, 100)}, not ${ends.join(" or ")}`;
  if (outcome.status !== "returned" || !("value" in attack || value !== undefined)) return undefined;
  if (isDeepStrictEqual(outcome.value, value)) return undefined;
  return `it returned ${JSON.stringify(outcome.value)?.slice(0, 100)}`;
}

/** Whether anything of the host came out, or anything was left in it. */
export function escapeIn(outcome: unknown, logs: readonly SandboxLog[]): string | undefined {
  const text = JSON.stringify([outcome, logs]);
  const word = HOST_WORDS.find((each) => text.includes(each));
  if (word !== undefined) return `ESCAPE: it told ${word === SECRET ? "the secret" : word}`;
  const changed = PROTOTYPES.findIndex(
    (prototype, index) => Reflect.ownKeys(prototype).length !== OWN_KEYS[index],
  );
  if (changed >= 0 || "polluted" in {}) return "ESCAPE: a prototype of the host was changed";
  return undefined;
}
