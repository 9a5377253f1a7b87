import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentLoop, type Run, type Script, scriptedEngine } from "@toolrig/agent";
import {
  ApprovalQueue,
  deferred,
  Executor,
  type Policy,
  policyGuard,
  Redactor,
  Registry,
  result,
  tool,
} from "@toolrig/core";
import { openStore, type Store } from "@toolrig/store";
import {
  type Scope,
  type ServedHttp,
  type ServedRig,
  type ServeOptions,
  type ServerToken,
  serve,
} from "../src/index.ts";

const EMPTY = { type: "object" } as const;

/** What calls of the tools below can be made to do from outside. */
interface World {
  ran: string[];
  /** Lets calls of `hold` end. */
  release: () => void;
  /** The token of the last deferred call. */
  token: string;
}

function toolsOf(world: World) {
  const held = Promise.withResolvers<void>();
  world.release = () => held.resolve();
  return [
    tool({
      name: "add",
      description: "Add two numbers",
      input: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
        additionalProperties: false,
      },
      safety: { sideEffects: "none", idempotent: true },
      execute: ({ a, b }) => {
        world.ran.push(`add ${a} ${b}`);
        return a + b;
      },
    }),
    tool({
      name: "odd_effects",
      description: "Report effects that are none",
      input: EMPTY,
      safety: { sideEffects: "none", idempotent: true },
      execute: () => result({ content: "done", effects: [null, { kind: "file" }] as never }),
    }),
    tool({
      name: "echo",
      description: "Say it again",
      input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      safety: { sideEffects: "none", idempotent: true },
      execute: ({ text }) => text,
    }),
    tool({
      name: "pay_later",
      description: "Pay once it is let go",
      input: EMPTY,
      safety: { sideEffects: "external", idempotent: false },
      async execute() {
        world.ran.push("pay_later");
        await held.promise;
        return "paid";
      },
    }),
    tool({
      name: "send_mail",
      description: "Send a mail",
      input: {
        type: "object",
        properties: { to: { type: "string" }, token: { type: "string" } },
        required: ["to"],
      },
      approval: true,
      execute: ({ to, token }) => {
        world.ran.push(token === undefined ? `mail ${to}` : `mail ${to} ${token}`);
        return `sent to ${to}`;
      },
    }),
    tool({
      name: "pay",
      description: "Pay",
      input: { type: "object", properties: { amount: { type: "number" } } },
      safety: { sideEffects: "external", idempotent: false },
      execute: ({ amount }) => {
        world.ran.push(`pay ${amount}`);
        return `paid ${amount}`;
      },
    }),
    tool({
      name: "hold",
      description: "Wait until it is let go",
      input: EMPTY,
      safety: { sideEffects: "read", idempotent: true },
      async execute(_, context) {
        context.update({ content: "holding", progress: 0.5 });
        await Promise.race([
          held.promise,
          new Promise((resolve) => context.signal.addEventListener("abort", resolve)),
        ]);
        return "let go";
      },
    }),
    tool({
      name: "hold_and_pay",
      description: "Pay when it is let go",
      input: EMPTY,
      safety: { sideEffects: "external", idempotent: false },
      async execute() {
        world.ran.push("hold_and_pay");
        await held.promise;
        return "paid";
      },
    }),
    tool({
      name: "ask_day",
      description: "Ask for a day",
      input: EMPTY,
      safety: { sideEffects: "read", idempotent: true },
      async execute(_, context) {
        world.ran.push("ask_day");
        const answer = await context.ask({
          message: "Which day?",
          schema: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
        });
        return answer;
      },
    }),
    tool({
      name: "build",
      description: "Start a build",
      input: EMPTY,
      output: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
      safety: { sideEffects: "external", idempotent: true },
      execute(_, { token }) {
        world.token = token;
        return deferred({ note: "the build runs" });
      },
    }),
    tool({
      name: "fail",
      description: "Fail",
      input: { type: "object", properties: { why: { type: "string" } } },
      safety: { sideEffects: "read", idempotent: false },
      execute: ({ why = "no reason" }) => {
        throw new Error(`it failed: ${why}`);
      },
    }),
    tool({
      name: "long_text",
      description: "Give a long text",
      input: EMPTY,
      safety: { sideEffects: "read", idempotent: true },
      execute: () => result({ content: `<script>alert(1)</script>${"x".repeat(100_000)}` }),
    }),
    tool({
      name: "secret_text",
      description: "Give a long text with a secret in it",
      input: { type: "object", properties: { length: { type: "number" } }, required: ["length"] },
      safety: { sideEffects: "read", idempotent: true },
      execute: ({ length }) => result({ content: `${"line\n".repeat(length / 5)}hunter2hunter2` }),
    }),
  ];
}

export interface Served extends ServedHttp {
  rig: ServedRig;
  world: World;
  store: Store;
  /** JSON of an answer, and its status. `as` is the token. */
  ask(
    path: string,
    options?: { method?: string; body?: unknown; headers?: Record<string, string>; as?: string },
  ): Promise<Asked>;
  end(): Promise<void>;
}

interface Asked {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what comes is looked at by the tests
  body: any;
}

export interface MadeOptions extends ServeOptions {
  file?: string;
  script?: Script;
  policy?: Policy;
}

/** A token whose text is the name of whose it is. */
export function tokenOf(name: string, ...scopes: Scope[]): ServerToken {
  return { sha256: createHash("sha256").update(name).digest("hex"), principal: { id: name }, scopes };
}

/** A server over a rig of its own, with a store in a file. */
export async function served({ file, script, policy, ...options }: MadeOptions = {}): Promise<Served> {
  const world: World = { ran: [], release: () => {}, token: "" };
  const store = openStore(file ?? join(mkdtempSync(join(tmpdir(), "served-")), "rig.db"));
  const approvals = new ApprovalQueue({ store: store.approvals, pollEvery: "20ms" });
  const registry = new Registry(toolsOf(world), { descriptions: store.descriptions });
  const redactor = new Redactor({ values: ["hunter2hunter2"] });
  const executor = new Executor({
    tools: registry,
    store: store.records,
    ledger: store.ledger,
    artifacts: store.artifacts,
    waits: store.waits,
    approve: approvals.approver,
    maxContent: 1_000,
    redact: redactor,
    ...(policy !== undefined && { guards: [policyGuard(policy)] }),
  });
  executor.waits.start();
  const runs = new Map<string, Run>();
  const kept = (run: Run) => {
    runs.set(run.runId, run);
    void run.outcome.then(() => runs.delete(run.runId));
    return run;
  };
  const loop = () =>
    new AgentLoop({
      engine: scriptedEngine(script ?? [{ text: "done" }]),
      tools: registry,
      executor,
      journal: store.journal,
      approvals,
    });
  const rig: ServedRig = {
    executor,
    tools: executor.tools,
    events: executor.events,
    waits: executor.waits,
    store,
    approvals,
    policy,
    redactor,
    runs,
    hasEngine: script !== undefined,
    call: (call, given) => executor.call(call, given),
    batch: (calls, given) => executor.batch(calls, given),
    run: (input, given) => kept(loop().run(input, given?.principal ? { principal: given.principal } : {})),
    resume: (runId) => kept(loop().resume(runId)),
    fork: (runId, turn, given) => kept(loop().fork(runId, turn, given?.input ? { input: given.input } : {})),
    close: async () => {},
  };
  const http = await serve(rig, { port: 0, console: false, ...options });
  const ask: Served["ask"] = async (path, { method = "GET", body, headers = {}, as } = {}) => {
    const response = await fetch(http.url + path, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  };
  return {
    ...http,
    rig,
    world,
    store,
    ask,
    async end() {
      world.release();
      await http.close(100);
      await executor.stop();
      store.close();
    },
  };
}
