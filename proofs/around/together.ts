/** Several calls that come about at once: what one of them, or whoever makes them, decides about the others is the same every way. */
import { AgentLoop, PlanExecutor, scriptedEngine } from "@toolrig/agent";
import { type AnyTool, budgetGuard, Executor, type Guard, tool } from "@toolrig/core";
import { NatsExecutor, NatsWorker } from "@toolrig/nats";
import { runCode } from "@toolrig/sandbox";
import { wireServer } from "../../packages/agent/test/wire/server.ts";
import { rig } from "../../packages/cli/src/rig/rig.ts";
import { says } from "../interop/bench.ts";
import type { Peer } from "../interop/peer.ts";

/** What the calls of one cell are made with. */
interface Setup {
  tools: readonly AnyTool[];
  guards: readonly Guard[];
  /** Tools to call, in source order. */
  names: readonly string[];
  signal: AbortSignal;
}

/** A way in which several calls come about at once. Resolves when all of them are over. */
export interface Together {
  readonly name: string;
  make(setup: Setup): Promise<unknown>;
}

const RUN = { runId: "run_1" };
const callsOf = (names: readonly string[]) => names.map((name) => ({ id: `c_${name}`, name, arguments: {} }));

const batch: Together = {
  name: "batch",
  make: ({ tools, guards, names, signal }) =>
    new Executor({ tools, guards }).batch(callsOf(names), { ...RUN, signal }),
};

const nested: Together = {
  name: "nested",
  make({ tools, guards, names, signal }) {
    const parent = tool({
      name: "parent",
      description: "Calls the others",
      input: { type: "object" },
      execute: (_: unknown, { call }) => Promise.all(names.map((name) => call(name, {}))).then(() => "done"),
    });
    const executor = new Executor({ tools: [...tools, parent], guards: guards.map(apartFrom("parent")) });
    return executor.call({ id: "c", name: "parent" }, { ...RUN, signal });
  },
};

const script: Together = {
  name: "script",
  make({ tools, guards, names, signal }) {
    const code = `await Promise.allSettled(${JSON.stringify(names)}.map((name) => tools[name]({})));`;
    const executor = new Executor({
      tools: [...tools, runCode({ tools })],
      guards: guards.map(apartFrom("run_code")),
    });
    return executor.call({ id: "c", name: "run_code", arguments: { code } }, { ...RUN, signal });
  },
};

const plan: Together = {
  name: "plan",
  make({ tools, guards, names, signal }) {
    const plans = new PlanExecutor({ tools, executor: new Executor({ tools, guards }) });
    const steps = names.map((name) => ({ name, kind: "tool", tool: name }));
    const running = plans.run({ steps }, RUN);
    signal.addEventListener("abort", () => running.abort());
    return running.outcome;
  },
};

const loop: Together = {
  name: "loop",
  make({ tools, guards, names, signal }) {
    const engine = scriptedEngine([{ calls: callsOf(names) }, "done"]);
    const running = new AgentLoop({ engine, tools, executor: new Executor({ tools, guards }) }).run("go", {
      ...RUN,
      signal,
    });
    return running.outcome;
  },
};

function fleet(url: string): Together {
  return {
    name: "fleet",
    async make({ tools, guards, names, signal }) {
      const nats = { servers: url };
      const config = { delete_consumer_on_stop: true };
      const worker = new NatsWorker({ nats, tools, guards, config, globalTools: false });
      await worker.start();
      const executor = await NatsExecutor.connect({ nats });
      try {
        await executor.batch(callsOf(names), { ...RUN, signal });
      } finally {
        await executor.close();
        await worker.stop("5s");
      }
    },
  };
}

function beneath(peer: Peer): Together {
  return {
    name: peer.name,
    async make({ tools, guards, names, signal }) {
      const server = await wireServer();
      const assembled = rig({ tools, guards });
      server.play([says(...names.map((name): [string, unknown] => [name, {}])), { text: "done" }]);
      try {
        const { origin } = server;
        const task = {
          rig: assembled,
          origin,
          prompt: "Do it.",
          streams: false,
          signal,
          onProgress: () => {},
        };
        // Some reject when they are aborted.
        await peer.run(task).catch(() => {});
      } finally {
        await assembled.close();
        await server.close();
      }
    },
  };
}

/** The call that makes the others is none of those that are looked at. */
const apartFrom =
  (name: string) =>
  (guard: Guard): Guard => ({
    name: guard.name,
    before: (input) => (input.tool.name === name ? undefined : guard.before?.(input)),
  });

export const together = (url: string, peers: readonly Peer[]): Together[] => [
  batch,
  nested,
  script,
  plan,
  loop,
  fleet(url),
  ...peers.map(beneath),
];

interface Cell extends Setup {
  /** Tools as they began and ended. */
  trace: string[];
}

/** What makes a property, and what of it was seen when all is well. */
export interface Rule {
  readonly name: string;
  look(way: Together): Promise<string | undefined>;
}

const NAMES = ["one", "two", "three"];
const later = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

function cellOf(guards: readonly Guard[], more: { alone?: string; signal?: AbortSignal } = {}): Cell {
  const trace: string[] = [];
  const tools = NAMES.map((name) =>
    tool({
      name,
      description: `Does ${name}`,
      input: { type: "object" },
      mode: name === more.alone ? "sequential" : "parallel",
      safety: { sideEffects: "external" },
      async execute() {
        trace.push(`+${name}`);
        await later();
        trace.push(`-${name}`);
        return name;
      },
    }),
  );
  return { tools, guards, names: NAMES, trace, signal: more.signal ?? new AbortController().signal };
}

async function missed(way: Together, cell: Cell, wanted: readonly string[], seen: () => readonly string[]) {
  try {
    await way.make(cell);
  } catch (error) {
    return `it threw: ${error instanceof Error ? error.stack : String(error)}`;
  }
  const found = seen();
  return found.join() === wanted.join() ? undefined : `${found.join(" ")} instead of ${wanted.join(" ")}`;
}

const begun = ({ trace }: Cell) => trace.filter((each) => each.startsWith("+"));

/** Answers late, so that a call beside it could pass it. */
const stops: Guard = {
  name: "stops",
  async before({ tool: { name } }) {
    await later(name === "two" ? 20 : 1);
    return name === "two" ? { verdict: "stop", reason: "enough" } : undefined;
  },
};

export const RULES: readonly Rule[] = [
  {
    name: "stop",
    look(way) {
      const cell = cellOf([stops]);
      return missed(way, cell, ["+one"], () => begun(cell));
    },
  },
  {
    name: "sequential",
    look(way) {
      const cell = cellOf([], { alone: "two" });
      return missed(way, cell, ["+one", "-one", "+two", "-two", "+three", "-three"], () => cell.trace);
    },
  },
  {
    name: "source order",
    look(way) {
      const judged: string[] = [];
      const slow: Guard = {
        name: "slow",
        async before({ tool: { name } }) {
          judged.push(`?${name}`);
          await later(name === "one" ? 20 : 1);
          judged.push(`!${name}`);
          return undefined;
        },
      };
      const wanted = NAMES.flatMap((name) => [`?${name}`, `!${name}`]);
      return missed(way, cellOf([slow]), wanted, () => judged);
    },
  },
  {
    name: "budgets",
    look(way) {
      const cell = cellOf([budgetGuard({ callsPerRun: 2 })]);
      return missed(way, cell, ["+one", "+two"], () => begun(cell).sort());
    },
  },
  {
    name: "abort",
    look(way) {
      const stop = new AbortController();
      const aborts: Guard = {
        name: "aborts",
        // Answers long after the abort: by then nothing may run any more.
        async before() {
          stop.abort();
          await later(1_000);
          return undefined;
        },
      };
      const cell = cellOf([aborts], { signal: stop.signal });
      return missed(way, cell, [], () => begun(cell));
    },
  },
];
