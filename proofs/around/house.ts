/** A house with tools, rules and a store in a file, in which calls come about. It can die at a moment and be opened again. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnyTool,
  type CallRecord,
  Executor,
  type ExecutorOptions,
  type Guard,
  type InformationFlow,
  type Principal,
  type ToolResult,
} from "@toolrig/core";
import { type Ledger, newId } from "@toolrig/core/kit";
import { openStore, type Store } from "@toolrig/store";
import { type Done, toolsOf } from "./tools.ts";

/** What the property that is looked at adds to a house. Made anew whenever it is opened: what is in memory is gone then. */
export interface Rules {
  guards?: readonly Guard[];
  flow?: InformationFlow;
  /** Tools that a loop may call. */
  callBudget?: number;
}

/** What the way in which calls come about adds to it. */
export type WayOptions = Pick<ExecutorOptions, "guards" | "hooks" | "approve">;

/** One call that is to come about. */
export interface Asked {
  name: string;
  args: Readonly<Record<string, unknown>>;
  /** What the model wrote of the arguments before it was cut off, and whether somebody noticed and says so. */
  cut?: { text: string; noticed: boolean };
  /** The tool never answers. */
  silent?: true;
}

export class House {
  readonly #folder = mkdtempSync(join(tmpdir(), "toolrig-around-"));
  readonly #rules: () => Rules;
  readonly #way: (house: House) => WayOptions;
  readonly #unique = newId("around");
  readonly pure: boolean;
  readonly tools: readonly AnyTool[];
  /** What the tools did, whoever was alive. */
  readonly done: Done[] = [];
  /** What tools were told that made calls. */
  readonly relayed: ToolResult[] = [];
  /** On whose behalf guards were asked, by tool. */
  readonly judged: { name: string; principal: Principal | undefined }[] = [];
  /** The arguments that somebody puts in the place of those that were asked for, by call. */
  readonly wanted = new Map<string, unknown>();
  /** When the process dies, as far as the store can tell: inside a tool, or as soon as an outcome is in the ledger. */
  dies: "in the tool" | "after the outcome" | undefined;
  /** Tools do nothing. */
  quiet = false;
  principal: Principal = { id: "ann", team: "blue" };
  store: Store;
  rules: Rules;
  executor: Executor;

  constructor(rules: () => Rules, way: (house: House) => WayOptions = () => ({}), pure = false) {
    this.#rules = rules;
    this.#way = way;
    this.pure = pure;
    this.tools = toolsOf(this);
    this.rules = rules();
    this.store = openStore(join(this.#folder, "rig.db"));
    this.executor = this.#newExecutor();
  }

  get runId(): string {
    return `run_${this.#unique}`;
  }

  executionId(index: number): string {
    return `exec_${this.#unique}_${index}`;
  }

  /** What an executor has in this house, here or with a worker. */
  get options(): ExecutorOptions {
    const { guards = [], ...way } = this.#way(this);
    const watch: Guard = {
      name: "watch",
      before: ({ tool, principal }) => void this.judged.push({ name: tool.name, principal }),
    };
    const { records, artifacts } = this.store;
    return {
      tools: this.tools,
      store: records,
      artifacts,
      ledger: this.#mortalLedger(),
      guards: [watch, ...guards, ...(this.rules.guards ?? [])],
      ...way,
    };
  }

  /** The store is closed in mid-work: what is not on disk is lost, and nothing more is written. */
  die(): void {
    this.store.close();
  }

  /** The next process. */
  async reopen(): Promise<void> {
    await this.executor.drain();
    this.store.close();
    this.rules = this.#rules();
    this.store = openStore(join(this.#folder, "rig.db"));
    this.executor = this.#newExecutor();
  }

  /** The number of starts of a tool's code. */
  runsOf(tool: string): number {
    return this.done.filter(({ name }) => name === tool).length;
  }

  /** What is recorded of a tool, the oldest first. */
  async records(name?: string): Promise<CallRecord[]> {
    await this.executor.drain();
    this.executor.start();
    const query = name === undefined ? {} : { tool: name };
    return [...this.store.records.query({ ...query, order: "oldest", limit: 1_000 }).records];
  }

  async close(): Promise<void> {
    await this.executor.drain();
    this.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A call that prepares something: its tool does nothing, and nothing is recorded of it. */
  async prepare(options: WayOptions, call: (executor: Executor) => Promise<void>): Promise<void> {
    this.quiet = true;
    await call(new Executor({ tools: this.tools, ...options }));
    this.quiet = false;
  }

  #newExecutor(): Executor {
    return new Executor(this.options);
  }

  #mortalLedger(): Ledger {
    const { ledger } = this.store;
    return {
      intend: (intent) => ledger.intend(intent),
      complete: async (id, result) => {
        await ledger.complete(id, result);
        if (this.dies === "after the outcome") this.die();
      },
      fail: (id, result) => ledger.fail(id, result),
      unknown: (id, result) => ledger.unknown(id, result),
      withdraw: (id) => ledger.withdraw(id),
      open: () => ledger.open(),
      get: (id) => ledger.get(id),
    };
  }
}
