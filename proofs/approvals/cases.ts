/** Ways to get a call approved by somebody who may not, or who was asked about something else. On a store on disk. */
import { join } from "node:path";
import {
  ApprovalQueue,
  type ApprovalQueueOptions,
  Executor,
  type GrantScope,
  type Guard,
  InformationFlow,
  type Principal,
  policyGuard,
  Registry,
  tool,
} from "@toolrig/core";
import { openStore, type Store } from "@toolrig/store";

type Args = Record<string, unknown>;

interface Shop {
  description?: string;
  provider?: string;
  guards?: readonly Guard[];
  approval?: boolean;
  queue?: ApprovalQueueOptions;
}

interface Call {
  args?: Args;
  runId?: string;
  principal?: string;
  executionId?: string;
}

/** What came of a call: what was paid, by whom it was approved, or that it waited in vain. */
type Outcome = { paid?: Args; by: "nobody" | "a grant" | "an answer"; why: string };

/** Answers a question; the call is denied afterwards if it still waits. */
type Answer = (queue: ApprovalQueue, executionId: string) => Promise<unknown>;

const bob: Principal = { id: "bob" };
const NOT_APPROVED = { by: { id: "boss" }, reason: "the proof only looks" };
let calls = 0;

/** One call of `pay` in a process with these settings, on a store that others use, too. */
async function pay(store: Store, shop: Shop, call: Call, answer?: Answer): Promise<Outcome> {
  const { description = "Pay", provider, guards = [], approval = true } = shop;
  const queue = new ApprovalQueue({ store: store.approvals, pollEvery: "5ms", ...shop.queue });
  const paid: Args[] = [];
  const tools = new Registry();
  const payment = tool({
    name: "pay",
    description,
    input: { type: "object", properties: { note: { type: "string" } }, additionalProperties: true },
    safety: { sideEffects: "external" },
    ...(approval && { approval }),
    execute: (args) => {
      paid.push(args);
      return "paid";
    },
  });
  tools.add(payment, provider === undefined ? {} : { provider });
  const executor = new Executor({ tools, guards, approve: queue.approver });
  calls += 1;
  const { executionId = `case-${calls}`, runId, principal, args = { sum: 20 } } = call;
  const result = executor.call(
    { id: "call", name: "pay", arguments: args },
    {
      executionId,
      ...(runId !== undefined && { runId }),
      ...(principal !== undefined && { principal: { id: principal } }),
    },
  );
  const over = result.then(() => true);
  while (!(await Promise.race([over, new Promise<false>((go) => setTimeout(go, 2, false))]))) {
    const entry = await store.approvals.get(executionId);
    if (entry === undefined || entry.decision !== undefined) continue;
    await answer?.(queue, executionId);
    await queue.deny(executionId, NOT_APPROVED).catch(() => {});
  }
  const asked = (await store.approvals.get(executionId)) !== undefined;
  const { failure } = await result;
  const by = failure !== undefined ? "nobody" : asked ? "an answer" : "a grant";
  return { ...(paid[0] !== undefined && { paid: paid[0] }), by, why: failure?.message ?? "paid" };
}

const grant =
  (always: GrantScope = {}): Answer =>
  (queue, id) =>
    queue.approve(id, { by: bob, always });
const approve =
  (by: Principal = bob): Answer =>
  (queue, id) =>
    queue.approve(id, { by });

/** Edits with arguments that cannot run first, which must leave the question open. */
const edit =
  (args: Args): Answer =>
  async (queue, id) => {
    const wrong = queue.approve(id, { by: bob, args: { note: { not: "text" } } });
    if (
      await wrong.then(
        () => true,
        () => false,
      )
    )
      throw new Error("an edit that cannot run was taken");
    await queue.approve(id, { by: bob, args });
  };

const asks = policyGuard({ rules: [{ when: { tool: "pay" }, verdict: "ask", reason: "money" }] });
const limit: Guard = {
  name: "limit",
  before: ({ args }) => ((args as Args).sum === 5_000 ? { verdict: "deny", reason: "too much" } : undefined),
};
const clamp: Guard = {
  name: "clamp",
  before: ({ args }) => ({ verdict: "rewrite", args: { sum: Math.min((args as { sum: number }).sum, 50) } }),
};

interface ApprovalCase {
  title: string;
  want: Outcome["by"];
  run(store: Store): Promise<Outcome>;
}

/** A grant that bob gives for one call, and another call that it may or may not answer. */
const after = (
  title: string,
  want: Outcome["by"],
  second: Shop & Call,
  { first = {}, scope = {} }: { first?: Shop & Call; scope?: GrantScope } = {},
): ApprovalCase => ({
  title,
  want,
  async run(store) {
    await pay(store, first, first, grant(scope));
    return pay(store, second, second);
  },
});

const small = { constraints: { properties: { to: { properties: { sum: { maximum: 50 } } } } } };
const within: Call = { args: { to: { sum: 20 } } };

const cases: ApprovalCase[] = [
  after("a grant answers a similar call", "a grant", {}),
  after("a grant of bob's is not for bob", "nobody", { principal: "bob" }, { first: { principal: "ann" } }),
  after("however bob writes his name", "nobody", { principal: "Bob\u200b" }, { first: { principal: "ann" } }),
  after("a grant is not for a tool of that name from elsewhere", "nobody", { provider: "mcp:evil" }),
  after("a grant is not for a tool that has changed", "nobody", { description: "Pay, and tell everybody" }),
  after(
    "a grant answers the guard that asked",
    "a grant",
    { guards: [asks], approval: false },
    {
      first: { guards: [asks], approval: false },
    },
  ),
  after(
    "a grant answers no other guard",
    "nobody",
    { guards: [asks] },
    { first: { guards: [asks], approval: false } },
  ),
  after("a grant holds within its bounds", "a grant", within, { first: within, scope: small }),
  after(
    "a grant does not hold where its bound is left out",
    "nobody",
    { args: { to: {} } },
    { first: within, scope: small },
  ),
  after(
    "nor for a value of another type",
    "nobody",
    { args: { to: { sum: "5000" } } },
    { first: within, scope: small },
  ),
  {
    title: "a grant never answers what always asks",
    want: "nobody",
    async run(store) {
      const flow = new InformationFlow();
      const shop = { guards: [flow.guard], approval: false };
      flow.outsiderSaid("run", "a page");
      await pay(store, shop, { runId: "run" }, grant());
      const labels = { integrity: "untrusted", confidentiality: "private", source: "mail" } as const;
      flow.recall("run", { name: "read_mail", labels, isError: false, content: [] });
      return pay(store, shop, { runId: "run" });
    },
  },
  {
    title: "what was approved for ann runs for ann",
    want: "an answer",
    async run(store) {
      const call = { executionId: "case-ann", principal: "ann" };
      return pay(store, {}, call, approve());
    },
  },
  {
    title: "what was approved for ann does not run for eve",
    want: "nobody",
    async run(store) {
      await pay(store, {}, { executionId: "case-eve", principal: "ann" }, approve());
      return pay(store, {}, { executionId: "case-eve", principal: "eve" });
    },
  },
  {
    title: "what was approved for a tool does not run for a changed definition",
    want: "nobody",
    async run(store) {
      await pay(store, {}, { executionId: "case-changed" }, approve());
      return pay(store, { description: "Empty the account" }, { executionId: "case-changed" });
    },
  },
  {
    title: "an answer let through by other rules does not count here",
    want: "nobody",
    run: (store) =>
      pay(store, { queue: { mayAnswer: ({ id }) => id === "boss" } }, {}, (_queue, id) =>
        new ApprovalQueue({ store: store.approvals }).approve(id, { by: { id: "intern" } }),
      ),
  },
  {
    title: "an edit that cannot run leaves the question open for one that can",
    want: "an answer",
    run: (store) => pay(store, {}, {}, edit({ sum: 5 })),
  },
  {
    title: "an edit into what a guard denies does not run",
    want: "nobody",
    run: (store) => pay(store, { guards: [limit] }, {}, edit({ sum: 5_000 })),
  },
  {
    title: "an edit is within the limit of a guard that rewrites",
    want: "an answer",
    async run(store) {
      const outcome = await pay(store, { guards: [clamp] }, {}, edit({ sum: 5_000 }));
      return outcome.paid?.sum === 50
        ? outcome
        : { by: "nobody", why: `paid ${JSON.stringify(outcome.paid)}` };
    },
  },
];

/** Runs every case on a store of its own. Returns how many went as they should. */
export async function runCases(
  folder: string,
  print: (line: string) => void,
): Promise<{ passed: number; failed: number }> {
  let passed = 0;
  for (const [index, { title, want, run }] of cases.entries()) {
    const store = openStore(join(folder, `case-${index}.db`));
    const { by, why } = await run(store).finally(() => store.close());
    if (by === want) passed += 1;
    print(`${by === want ? "ok  " : "MISS"} ${by.padEnd(9)} ${title.padEnd(68)} ${why}`);
  }
  return { passed, failed: cases.length - passed };
}
