/** A small fleet beside which somebody misbehaves: what was asked, what was answered, and what happened in truth. */
import type { NatsConnection } from "@nats-io/transport-node";
import { type AnyTool, type ToolCall, type ToolResult, tool } from "@toolrig/core";
import type { NatsExecutor } from "@toolrig/nats";
import { HANG_MS } from "../../scripts/hang-limit.ts";

/** One way to misbehave. */
export interface Behaviour {
  name: string;
  /** Does it while calls are under way. A text that it resolves with is a complaint of its own. */
  act(scene: Scene): Promise<unknown>;
}

export interface Answered {
  tool: string;
  number: number;
  /** Undefined when none came. */
  result: ToolResult | undefined;
}

/** No call of a scene takes longer, whatever was done to it. */
/** Tools that may not run again. */
const ONCE = new Set(["once", "send_mail"]);
/** The tool's code never began. */
const DID_NOT_RUN = new Set(["TOOL_NOT_FOUND", "TOOL_NOT_ALLOWED", "TOOL_BLOCKED", "TOOL_RATE_LIMITED"]);

export class Scene {
  readonly effects = new Map<number, number>();
  /** The keys of calls that are under way. */
  readonly keys: string[] = [];
  readonly hostile: NatsConnection;
  readonly #executor: NatsExecutor;
  readonly #asked: Promise<Answered>[] = [];
  readonly #made: { call: ToolCall; executionId: string }[] = [];
  static #count = 0;

  constructor(executor: NatsExecutor, hostile: NatsConnection, effects: Map<number, number>) {
    this.#executor = executor;
    this.hostile = hostile;
    this.effects = effects;
  }

  /** Makes a call under an id of its own, and waits until its tool has begun unless it is told not to. */
  async call(name: string, { ms = 300, begun = true, prefix = "hostile" } = {}): Promise<void> {
    const number = ++Scene.#count;
    const executionId = prefix === "" ? `e${number}` : `${prefix}.e${number}`;
    this.keys.push(prefix === "" ? `desk.${executionId}` : executionId);
    const call = { id: `c${number}`, name, arguments: { number, ms } };
    this.#made.push({ call, executionId });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, HANG_MS, undefined);
    });
    const result = this.#executor.call(call, { executionId });
    const asked = Promise.race([result, silence]).then((result): Answered => {
      clearTimeout(timer);
      return { tool: name, number, result };
    });
    this.#asked.push(asked);
    const deadline = Date.now() + HANG_MS;
    let over = false;
    void asked.then(() => {
      over = true;
    });
    while (begun && !over && !this.effects.has(number) && Date.now() < deadline) await pause(2);
  }

  /** Makes every call again under its id, once it is over: what happened must not happen again. */
  async again(): Promise<string | undefined> {
    await this.answers();
    const before = [...this.effects.values()].reduce((sum, times) => sum + times, 0);
    for (const { call, executionId } of this.#made) await this.#executor.call(call, { executionId });
    const after = [...this.effects.values()].reduce((sum, times) => sum + times, 0);
    return after === before ? undefined : `${after - before} calls happened again`;
  }

  answers(): Promise<Answered[]> {
    return Promise.all(this.#asked);
  }
}

/** What is wrong with an answer, given how often the effect happened. */
export function missOf({ tool: name, number, result }: Answered, times: number): string | undefined {
  const what = `${name} ${number}`;
  if (result === undefined) return `${what} was not answered`;
  const code = result.failure?.code ?? "ok";
  if (ONCE.has(name) && times > 1) return `${what} happened ${times} times (${code})`;
  if (code === "ok" && (times === 0 || result.value !== number))
    return `${what} was answered ok and happened ${times} times`;
  if (DID_NOT_RUN.has(code) && times > 0) return `${what} was answered ${code} and happened`;
  return undefined;
}

/** A tool whose effects are counted, by the number that it is called with. */
export function effectful(name: string, effects: Map<number, number>, idempotent: boolean): AnyTool {
  return tool({
    name,
    description: name,
    input: {
      type: "object",
      properties: { number: { type: "integer" }, ms: { type: "number" } },
      required: ["number"],
    },
    safety: { sideEffects: "external", idempotent },
    async execute({ number, ms }: { number: number; ms?: number }) {
      effects.set(number, (effects.get(number) ?? 0) + 1);
      await pause(ms ?? 0);
      return number;
    },
  });
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
