import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ApprovalQueue,
  deferred,
  Executor,
  failure,
  reconcileOpen,
  type ToolContext,
  type ToolResult,
  type ToolSpec,
  tool,
} from "@toolrig/core";
import {
  type CrashPoint,
  type CrashScenario,
  crashAtEvents,
  crashableLedger,
  crashableStore,
  crashableWaits,
  slowly,
} from "@toolrig/core/testing";
import { openStore } from "@toolrig/store";
import { SLOW_MS } from "../crash/sites.ts";

/** What the call waits for, and how that ends. */
export type Manner =
  | "completed"
  | "failed elsewhere"
  | "checked"
  | "cancelled"
  | "expired"
  | "external"
  | "asked"
  | "asked, idempotent"
  | "approved";

export const MANNERS: readonly Manner[] = [
  "completed",
  "failed elsewhere",
  "checked",
  "cancelled",
  "expired",
  "external",
  "asked",
  "asked, idempotent",
  "approved",
];

export interface ParkedAnswer {
  results: ToolResult[];
  records: number;
  open: number;
  waiting: number;
  auditOk: boolean;
}

const ID = "exec_1";
const ann = { id: "ann" };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes a call that waits, ends the wait, and asks for the result twice. Started again, it does the same. */
export const scenario: CrashScenario = async ({ folder, point, given }) => {
  const manner = given as Manner;
  const store = openStore(join(folder, "rig.db"));
  const writing = slowly(SLOW_MS, point);
  const ledger = crashableLedger(store.ledger, writing);
  const waits = crashableWaits(store.waits, writing);
  const queue = new ApprovalQueue({ store: store.approvals });
  const touch = worldTool(manner, folder, point);
  const executor = new Executor({
    tools: [touch],
    ledger,
    waits,
    approve: queue.approver,
    store: crashableStore(store.records, writing),
  });
  crashAtEvents(executor.events, point);
  await reconcileOpen(ledger, [touch], waits);
  executor.waits.start();
  const call = () => executor.call({ id: "call_1", name: "touch" }, { executionId: ID, onWaiting: "return" });
  let result = await call();
  if (result.waiting !== undefined) {
    await end(manner, executor, queue, folder).catch(() => {});
    while (isOut(store)) await pause(25);
    result = await call();
  }
  const again = await call();
  await executor.drain();
  const answer: ParkedAnswer = {
    results: [result, again],
    records: [...store.records.all()].length,
    open: store.ledger.open().length,
    waiting: store.waits.list({ open: true }).length,
    auditOk: store.records.verify().ok,
  };
  store.close();
  return answer;
};

/** It still waits, or has ended and somebody has to see to the rest. */
function isOut({ waits }: ReturnType<typeof openStore>): boolean {
  return waits.list({ executionId: ID }).some(({ end, nextAt }) => end === undefined || nextAt !== undefined);
}

/** What somebody outside does about it; refused when it was done before. */
async function end(manner: Manner, executor: Executor, queue: ApprovalQueue, folder: string): Promise<void> {
  const { waits } = executor;
  if (manner === "completed") await waits.complete(ID, tokens(folder).at(-1) ?? "", "done");
  if (manner === "failed elsewhere") await waits.complete(ID, { by: ann }, failure("no"));
  if (manner === "external") await waits.complete(ID, await waits.token(ID), "done");
  if (manner === "cancelled") await waits.cancel(ID, { by: ann });
  if (manner.startsWith("asked")) await waits.answer(ID, { by: ann, value: "yes" });
  if (manner === "approved") await queue.approve(ID, { by: ann });
}

function worldTool(manner: Manner, folder: string, point: CrashPoint) {
  const effect = () => {
    point("before the effect");
    appendFileSync(join(folder, "effects"), "touched\n");
    point("after the effect");
    return "done";
  };
  const common = {
    name: "touch",
    description: "Leaves a line in a file",
    input: { type: "object" },
    safety: { sideEffects: "external", idempotent: manner === "asked, idempotent" },
    wait: { every: "20ms", ...(manner === "expired" && { expires: "60ms" }) },
  } as const satisfies Partial<ToolSpec<unknown, unknown>>;
  if (manner === "external") return tool({ ...common, execute: "external" });
  if (manner === "approved") return tool({ ...common, approval: true, execute: () => effect() });
  if (manner.startsWith("asked"))
    return tool({
      ...common,
      async execute(_, { ask }) {
        const answer = await ask({ message: "Shall I?" });
        effect();
        return answer.status;
      },
    });
  return tool({
    ...common,
    execute(_: unknown, { token }: ToolContext) {
      appendFileSync(join(folder, "tokens"), `${token}\n`);
      effect();
      return deferred({ ref: 7 });
    },
    ...(manner === "checked" && {
      check(_: unknown, { checks }: { checks: number }) {
        point("check");
        return checks < 2 ? undefined : "done";
      },
    }),
  });
}

function tokens(folder: string): string[] {
  return linesIn(folder, "tokens");
}

export function linesIn(folder: string, file: string): string[] {
  try {
    return readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
