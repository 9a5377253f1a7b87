import { type CallEvent, Executor, type Hooks, type ToolCall, tool } from "@toolrig/core";
import type { Proof } from "./proof.ts";

const BATCH = 8;
const FILES = ["a", "b", "c"];

/** One thing that happened in a round, in the order in which it did. */
type Mark = { what: "start" | "before" | "run" | "ran" | "after" | "end"; id: string };

interface Round {
  marks: Mark[];
  results: string[];
  ids: string[];
  /** The most tools that ran at once. */
  parallel: number;
  /** What must not have happened, as it was noticed. */
  problems: string[];
}

type Shape = "parallel" | "sequential loop" | "one sequential tool" | "locks";
const SHAPES: readonly Shape[] = ["parallel", "sequential loop", "one sequential tool", "locks"];

export const proof: Proof = {
  name: "order",
  claim:
    "A batch keeps source order: start, hooks, end and results; hooks never overlap; conflicting writes never do",

  async run(mode, print) {
    const rounds = mode === "quick" ? 30 : 300;
    let failed = 0;
    for (const shape of SHAPES) {
      const misses = new Map<string, number>();
      let parallel = 0;
      for (let seed = 1; seed <= rounds; seed++) {
        const round = await play(shape, randomFrom(seed * 7919));
        parallel = Math.max(parallel, round.parallel);
        for (const miss of problemsOf(round, shape)) misses.set(miss, (misses.get(miss) ?? 0) + 1);
      }
      const inParallel = shape === "parallel" || shape === "locks";
      if (inParallel && parallel < 2) misses.set("nothing ran in parallel", rounds);
      print(
        `${shape.padEnd(20)} ${rounds} batches of ${BATCH}, up to ${parallel} at once, ${misses.size} kinds of miss`,
      );
      for (const [miss, count] of misses) print(`  MISS ${miss} (${count} times)`);
      failed += misses.size;
    }
    return { passed: SHAPES.length * rounds - failed, failed };
  },
};

/** A small seeded generator: a round that fails can be played again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function play(shape: Shape, random: (below: number) => number): Promise<Round> {
  const round: Round = { marks: [], results: [], ids: [], parallel: 0, problems: [] };
  const executor = new Executor({
    tools: toolsFor(round, random),
    hooks: hooksFor(round, random),
    mode: shape === "sequential loop" ? "sequential" : "parallel",
    events: (event) => noteEvent(round, event),
  });
  const calls = callsFor(shape, random);
  round.ids = calls.map((call) => call.id);
  const results = await executor.batch(calls);
  round.results = results.map((result) => result.callId);
  if (results.some((result) => result.isError)) round.problems.push("a call failed");
  return round;
}

function callsFor(shape: Shape, random: (below: number) => number): ToolCall[] {
  const sequentialAt = random(BATCH);
  return Array.from({ length: BATCH }, (_, index): ToolCall => {
    const id = `call-${index}`;
    if (shape === "locks") {
      const name = random(2) === 0 ? "write_file" : "read_file";
      return { id, name, arguments: { id, file: FILES[random(FILES.length)] } };
    }
    const alone = shape === "one sequential tool" && index === sequentialAt;
    return { id, name: alone ? "work_alone" : "work", arguments: { id } };
  });
}

function noteEvent({ marks }: Round, event: CallEvent): void {
  if (event.type === "call.start") marks.push({ what: "start", id: event.callId });
  if (event.type === "call.end") marks.push({ what: "end", id: event.callId });
}

/** Waits not at all, for a turn of promises, or for a timer. */
async function dawdle(random: (below: number) => number): Promise<void> {
  const kind = random(3);
  if (kind === 1) await null;
  if (kind === 2) await new Promise((resolve) => setTimeout(resolve, random(3)));
}

function hooksFor(round: Round, random: (below: number) => number): Hooks {
  let open = 0;
  const hook = (what: "before" | "after") => async (input: { call: ToolCall }) => {
    open += 1;
    if (open > 1) round.problems.push("two hooks ran at once");
    round.marks.push({ what, id: input.call.id });
    await dawdle(random);
    open -= 1;
  };
  return { beforeCall: hook("before"), afterCall: hook("after") };
}

function toolsFor(round: Round, random: (below: number) => number) {
  let atOnce = 0;
  const users = new Map<string, { readers: number; writers: number }>();
  const input = {
    type: "object",
    properties: { id: { type: "string" }, file: { type: "string" } },
    required: ["id"],
  } as const;

  async function work({ id }: { id: string }): Promise<string> {
    atOnce += 1;
    round.parallel = Math.max(round.parallel, atOnce);
    round.marks.push({ what: "run", id });
    await new Promise((resolve) => setTimeout(resolve, random(5)));
    round.marks.push({ what: "ran", id });
    atOnce -= 1;
    return id;
  }

  async function use(args: { id: string; file?: string }, as: "readers" | "writers"): Promise<string> {
    const file = users.get(args.file!) ?? { readers: 0, writers: 0 };
    users.set(args.file!, file);
    file[as] += 1;
    if (file.writers > 1 || (file.writers === 1 && file.readers > 0))
      round.problems.push("a write was not alone");
    const answer = await work(args);
    file[as] -= 1;
    return answer;
  }

  const common = { description: "Works for a while", input };
  const read = { sideEffects: "read" } as const;
  const locks = ({ file }: { file?: string }) => [`file:${file}`];
  return [
    tool({ ...common, name: "work", safety: read, execute: work }),
    tool({ ...common, name: "work_alone", safety: read, mode: "sequential", execute: work }),
    tool({ ...common, name: "read_file", safety: read, locks, execute: (args) => use(args, "readers") }),
    tool({
      ...common,
      name: "write_file",
      safety: { sideEffects: "write" },
      locks,
      execute: (args) => use(args, "writers"),
    }),
  ];
}

function problemsOf({ marks, results, ids, parallel, problems }: Round, shape: Shape): string[] {
  const found = [...problems];
  const order = (what: Mark["what"]) => marks.filter((mark) => mark.what === what).map((mark) => mark.id);
  const expected = ids.join();
  for (const what of ["start", "before", "after", "end"] as const) {
    if (order(what).join() !== expected) found.push(`${what} out of source order`);
  }
  if (results.join() !== expected) found.push("results out of source order");
  const first = (what: Mark["what"]) => marks.findIndex((mark) => mark.what === what);
  const last = (what: Mark["what"]) => marks.findLastIndex((mark) => mark.what === what);
  if (last("before") > first("run")) found.push("a tool ran before the last before-hook");
  if (first("after") < last("ran")) found.push("an after-hook ran before the last tool had");
  if (order("ran").length !== BATCH) found.push("not every tool ran once");
  if (shape === "sequential loop" || shape === "one sequential tool") {
    if (parallel > 1) found.push("a sequential batch ran in parallel");
    if (order("run").join() !== expected) found.push("a sequential batch ran out of order");
  }
  return found;
}
