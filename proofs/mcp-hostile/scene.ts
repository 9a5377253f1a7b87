import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  type AnyTool,
  type CallOptions,
  type CallRecord,
  Executor,
  MemoryCallStore,
  Registry,
  type ToolDefinition,
  type ToolResult,
  tool,
} from "@toolrig/core";
import type { Wait } from "@toolrig/core/kit";
import {
  type ConnectionOptions,
  type ConnectionStatus,
  connectMcp,
  type Mcp,
  type Notification,
} from "@toolrig/mcp";
import { HANG_MS } from "../../scripts/hang-limit.ts";
import type { Behaviour } from "./behaviour.ts";
import { httpBehaviours } from "./behaviours.ts";

const program = (file: string) => join(import.meta.dirname, file);
const STDIO = program("stdio-server.ts");
/** Far more than anything takes that comes at all. */

/** The rig that all behaviours are met by: one registry, one executor, one manager of connections, and a server that is good. */
export class House {
  readonly registry = new Registry();
  readonly records = new MemoryCallStore();
  readonly executor = new Executor({ tools: this.registry, store: this.records });
  readonly mcp: Mcp;
  readonly notices: Notification[] = [];
  readonly updates: { name: string; update: unknown }[] = [];
  readonly #inner: Server;
  readonly #web: ChildProcess;
  readonly webUrl: string;
  innerConnections = 0;

  private constructor(inner: Server, web: ChildProcess, webUrl: string) {
    this.#inner = inner;
    this.#web = web;
    this.webUrl = webUrl;
    process.env.SECRET_OF_THE_PROOF = "secret";
    this.mcp = connectMcp(this, {
      servers: { good: { command: process.execPath, args: [STDIO, "good"], era: "2025" } },
    });
    inner.on("connection", () => {
      this.innerConnections += 1;
    });
    this.executor.events.on((event) => {
      if (event.type === "call.update") this.updates.push({ name: event.name, update: event });
    });
  }

  static async open(): Promise<House> {
    const inner = createServer((_, response) => void response.end("secrets of the house"));
    await new Promise<void>((resolve) => inner.listen(0, "127.0.0.1", resolve));
    const innerUrl = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/`;
    const web = spawn(process.execPath, [program("http-server.ts"), innerUrl], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const port = await new Promise<string>((resolve, reject) => {
      web.once("error", reject);
      createInterface({ input: web.stdout }).once("line", resolve);
    });
    const house = new House(inner, web, `http://127.0.0.2:${port}`);
    await house.mcp.ready;
    return house;
  }

  async close(): Promise<void> {
    await this.executor.stop();
    await this.mcp.close();
    this.#web.stdin?.end();
    this.#inner.close();
    delete process.env.SECRET_OF_THE_PROOF;
  }

  /** A call of the good server's tool, which must always be answered. */
  async isGood(): Promise<boolean> {
    const { value } = await this.executor.call({ id: "good", name: "good__echo", arguments: { a: 1 } });
    return value === 'echo {"a":1}';
  }
}

type Pending = Promise<ToolResult> & { settled: boolean };

/** One behaviour and the connection that meets it. */
export class Scene {
  readonly name: string;
  readonly #house: House;
  readonly #since: number;

  constructor(house: House, index: number) {
    this.name = `hostile${index}`;
    this.#house = house;
    this.#since = house.updates.length;
  }

  get mcp(): Mcp {
    return this.#house.mcp;
  }

  async connect(behaviour: Behaviour): Promise<void> {
    const { registry } = this.#house;
    const ours = tool({
      name: `${this.name}__taken`,
      description: "Ours",
      input: { type: "object" },
      execute: () => "ours",
    });
    registry.add(ours);
    const index = httpBehaviours.findIndex((each) => each.name === behaviour.name);
    const at: ConnectionOptions =
      index === -1
        ? { command: process.execPath, args: [STDIO, behaviour.name] }
        : { url: `${this.#house.webUrl}/${index}` };
    await this.mcp.connect(this.name, { ...at, era: "2025", ...behaviour.options });
  }

  async disconnect(): Promise<void> {
    await this.mcp.disconnect(this.name);
  }

  async leave(): Promise<void> {
    await this.mcp.disconnect(this.name, { forget: true }).catch(() => {});
    this.#house.registry.remove(`${this.name}__taken`);
  }

  status(): ConnectionStatus {
    return this.mcp.get(this.name);
  }

  call(own: string, args: unknown = {}, options: CallOptions = {}): Pending {
    const call = { id: `${this.name}.${own}`, name: `${this.name}__${own}`, arguments: args };
    const pending = this.#house.executor.call(call, options) as Pending;
    pending.settled = false;
    void pending.then(() => {
      pending.settled = true;
    });
    return pending;
  }

  tool(own: string): AnyTool | undefined {
    return this.#house.registry.get(`${this.name}__${own}`);
  }

  definition(own: string): ToolDefinition | undefined {
    return this.tool(own)?.definition;
  }

  providerOf(name: string): string | undefined {
    const found = this.#house.registry.get(name);
    return found && this.#house.registry.providerOf(found);
  }

  /** What calls of this connection told of their progress. */
  get updates(): unknown[] {
    return this.#house.updates.slice(this.#since).filter(({ name }) => name.startsWith(`${this.name}__`));
  }

  goodUpdates(): unknown[] {
    return this.#house.updates.filter(({ name }) => name.startsWith("good__"));
  }

  /** What this server said unasked, so far. */
  notifications(): readonly Notification[] {
    this.#house.notices.push(...this.mcp.takeNotifications());
    return this.#house.notices.filter(({ source }) => source === `mcp:${this.name}`);
  }

  innerConnections(): number {
    return this.#house.innerConnections;
  }

  async waiting(): Promise<Wait[]> {
    const all = await this.#house.executor.waits.list({ open: true });
    return all.filter(({ name }) => name.startsWith(`${this.name}__`));
  }

  async decline(executionId: string): Promise<void> {
    await this.#house.executor.waits.answer(executionId, { by: { id: "operator" }, declined: true });
  }

  async record(executionId: string): Promise<CallRecord | undefined> {
    let found: CallRecord | undefined;
    await this.until(async () => {
      found = this.#house.records.records().find((each) => each.executionId === executionId);
      return found !== undefined;
    }, "the call was not recorded");
    return found;
  }

  async until(holds: () => boolean | Promise<boolean>, problem: string): Promise<void> {
    const end = Date.now() + HANG_MS;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(problem);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
