/** A script whose calls change something and wait, on a rig of one file. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AnyTool,
  ApprovalQueue,
  type CallOptions,
  deferred,
  Executor,
  reconcileOpen,
  type ToolResult,
  tool,
} from "@toolrig/core";
import {
  type CrashPoint,
  type CrashScenario,
  crashAtEvents,
  crashableJournal,
  crashableLedger,
  crashableWaits,
  slowly,
} from "@toolrig/core/testing";
import { runCode } from "@toolrig/sandbox";
import { openStore } from "@toolrig/store";

/** Which of its calls the script waits for. */
export type Kind = "approval" | "question" | "deferred" | "all at once";
export const KINDS: readonly Kind[] = ["approval", "question", "deferred", "all at once"];

const WAITING: Record<Kind, readonly string[]> = {
  approval: ["pay"],
  question: ["book"],
  deferred: ["deploy"],
  "all at once": ["pay", "book", "deploy"],
};

export const ID = "exec_1";
const ann = { id: "ann" };

/** Every line that a script leaves in the file of effects when it has run to its end. */
export function effectsOf(kind: Kind): string[] {
  return ["first", "beside", ...WAITING[kind], "last"].sort();
}

function scriptOf(kind: Kind): string {
  const calls = WAITING[kind].map((name) => `tools.${name}({})`).join(", ");
  return `
    const seen: number = await tools.look({});
    await tools.note({ what: "first" });
    const [, ...answers] = await Promise.all([tools.note({ what: "beside" }), ${calls}]);
    await tools.note({ what: "last" });
    return { seen, answers };`;
}

/** The rig of one process. `point` is passed at every write and every effect; each write pauses up to `slowMs` before and after. */
export function open(folder: string, point: CrashPoint = () => {}, slowMs = 0) {
  const store = openStore(join(folder, "rig.db"));
  const writing = slowMs === 0 ? point : slowly(slowMs, point);
  const ledger = crashableLedger(store.ledger, writing);
  const waits = crashableWaits(store.waits, writing);
  const approvals = new ApprovalQueue({ store: store.approvals, pollEvery: "20ms" });
  const tools = toolsIn(folder, point);
  const scripts = runCode({
    tools,
    store: { journal: crashableJournal(store.journal, writing), artifacts: store.artifacts },
  });
  const all = [...tools, scripts];
  const executor = new Executor({
    tools: all,
    ledger,
    waits,
    artifacts: store.artifacts,
    approve: approvals.approver,
    store: store.records,
  });
  crashAtEvents(executor.events, point);
  const run = (kind: Kind, options: CallOptions = {}) =>
    executor.call(
      { id: "call_1", name: "run_code", arguments: { code: scriptOf(kind) } },
      { executionId: ID, runId: "run_1", ...options },
    );
  return { store, executor, approvals, run, reconciled: reconcileOpen(ledger, all, waits) };
}

function toolsIn(folder: string, point: CrashPoint): AnyTool[] {
  const effect = (what: string) => {
    point("before the effect");
    appendFileSync(join(folder, "effects"), `${what}\n`);
    point("after the effect");
    return what;
  };
  const spec = { description: "Does it", input: { type: "object" } } as const;
  const what = { type: "object", properties: { what: { type: "string" } }, required: ["what"] } as const;
  return [
    tool({ ...spec, name: "note", input: what, execute: (args) => effect(args.what) }),
    tool({ ...spec, name: "pay", approval: true, execute: () => effect("pay") }),
    tool({
      ...spec,
      name: "book",
      async execute(_, { ask }) {
        await ask({ message: "Which day?" });
        return effect("book");
      },
    }),
    tool({
      ...spec,
      name: "deploy",
      execute() {
        effect("deploy");
        return deferred({ note: "job 7" });
      },
    }),
    tool({
      ...spec,
      name: "look",
      output: { type: "number" },
      safety: { sideEffects: "read", idempotent: true },
      execute() {
        appendFileSync(join(folder, "reads"), "look\n");
        return 7;
      },
    }),
  ];
}

type Opened = ReturnType<typeof open>;

/** Ends everything that waits. What was ended before is refused, and stays as it was. */
export async function endAll({ store, executor, approvals }: Opened): Promise<void> {
  for (const { kind, executionId } of store.waits.list({ open: true })) {
    const ending =
      kind === "approval"
        ? approvals.approve(executionId, { by: ann })
        : kind === "question"
          ? executor.waits.answer(executionId, { by: ann, value: "monday" })
          : executor.waits.complete(executionId, { by: ann }, "deployed");
    await ending.then(
      () => {},
      () => {},
    );
  }
}

export interface ScriptAnswer {
  result: ToolResult;
  again: ToolResult;
  open: number;
  waiting: number;
}

/** Runs the script, ends what it waits for, and asks for its result twice. Started again, it does the same. */
export const scenario: CrashScenario = async ({ folder, point, given }) => {
  const { kind, held } = given as { kind: Kind; held: boolean };
  const opened = open(folder, point);
  const { store, executor, run, reconciled } = opened;
  await reconciled;
  executor.waits.start();
  let result = held ? await heldRun(opened, kind) : await run(kind, { onWaiting: "return" });
  while (result.waiting !== undefined) {
    await endAll(opened);
    result = await run(kind, { onWaiting: "return" });
  }
  const again = await run(kind, { onWaiting: "return" });
  await executor.drain();
  const answer: ScriptAnswer = {
    result,
    again,
    open: store.ledger.open().length,
    waiting: store.waits.list({ open: true }).length,
  };
  store.close();
  return answer;
};

/** Somebody ends what waits while the call is held. */
async function heldRun(opened: Opened, kind: Kind): Promise<ToolResult> {
  let isOver = false;
  const running = opened.run(kind).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await endAll(opened);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return running;
}
