/** A run with three calls that wait, of three kinds: suspended in one process, each ended by another, resumed in a last one. */
import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deferred, rig, scriptedEngine, tool } from "toolrig";
import type { ProofMode, Verdict } from "../proof.ts";
import { linesIn } from "./parked-run.ts";

type Kind = "pay" | "book" | "deploy";
const KINDS: readonly Kind[] = ["pay", "book", "deploy"];
const ORDERS: readonly (readonly Kind[])[] = [
  ["pay", "book", "deploy"],
  ["deploy", "book", "pay"],
  ["pay", "deploy", "book"],
  ["book", "pay", "deploy"],
  ["book", "deploy", "pay"],
  ["deploy", "pay", "book"],
];
const EFFECTS = ["booked", "deploying", "paid"];
const ann = { id: "ann" };
const run = promisify(execFile);

/** What one process does: begins the run, ends one of its waits, or resumes it. Answers with what it saw. */
async function act(folder: string, what: string): Promise<unknown> {
  const did = (effect: string) => {
    appendFileSync(join(folder, "effects"), `${effect}\n`);
    return effect;
  };
  const spec = { description: "Does it", input: { type: "object" } } as const;
  const tools = [
    tool({ ...spec, name: "pay", approval: true, execute: () => did("paid") }),
    tool({
      ...spec,
      name: "book",
      async execute(_, { ask }) {
        const day = await ask({ message: "Which day?" });
        return did("booked") && day.status;
      },
    }),
    tool({ ...spec, name: "deploy", execute: () => did("deploying") && deferred({ note: "job 7" }) }),
  ];
  const order: string[] = [];
  const hooks = { afterCall: ({ call }: { call: { name: string } }) => void order.push(call.name) };
  const engine = scriptedEngine(({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? "all done"
      : { calls: KINDS.map((name) => ({ id: `c_${name}`, name })) },
  );
  const {
    run: start,
    resume,
    waits,
    approvals,
    store,
    close,
  } = rig({
    tools,
    engine,
    hooks,
    store: join(folder, "rig.db"),
  });
  const idOf = (name: string) => store?.waits.list({ name })[0]?.executionId ?? "";
  try {
    if (what === "pay") return await approvals?.approve(idOf("pay"), { by: ann });
    if (what === "book") return await waits.answer(idOf("book"), { by: ann, value: "monday" });
    if (what === "deploy") return await waits.complete(idOf("deploy"), { by: ann }, "live");
    const given = { onWaiting: "suspend" } as const;
    const { outcome } = what === "start" ? start("go", { ...given, runId: "run_1" }) : resume("run_1", given);
    const { status, messages } = await outcome;
    const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    return { status, order, results: results.map(({ name }) => name) };
  } finally {
    await close();
  }
}

/** Every order in which the three can end; the first two in the quick version. */
export async function suspendedRuns(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const orders = ORDERS.slice(0, mode === "full" ? ORDERS.length : 2);
  const misses: string[] = [];
  for (const order of orders) {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-suspended-"));
    const child = async (what: string) => {
      const args = ["--conditions=@toolrig/source", import.meta.filename, folder, what];
      return JSON.parse((await run(process.execPath, args)).stdout.trim().split("\n").at(-1) ?? "null");
    };
    const left = await child("start");
    const early = await child("resume");
    for (const kind of order) await child(kind);
    const done = await child("resume");
    const wrong = [
      ...(left.status === "waiting" && early.status === "waiting"
        ? []
        : [`left as ${left.status}, ${early.status}`]),
      ...(done.status === "answered" ? [] : [`ended as ${done.status}`]),
      ...(String(done.results) === String(KINDS) ? [] : [`results of ${done.results}`]),
      ...(String(done.order) === String(KINDS) ? [] : [`hooks of ${done.order}`]),
      ...(String(linesIn(folder, "effects").sort()) === String(EFFECTS)
        ? []
        : [`effects ${linesIn(folder, "effects")}`]),
    ];
    rmSync(folder, { recursive: true, force: true });
    if (wrong.length > 0) misses.push(`${order.join(", ")}: ${wrong.join("; ")}`);
  }
  print(
    `${orders.length} runs suspended, ended by other processes in every order tried, resumed in a last: ${misses.length} misses`,
  );
  for (const miss of misses) print(`MISS ${miss}`);
  return { passed: orders.length - misses.length, failed: misses.length };
}

const [, program, folder, what] = process.argv;
if (program === import.meta.filename && folder !== undefined && what !== undefined)
  console.log(JSON.stringify((await act(folder, what)) ?? null));
