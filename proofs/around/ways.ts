/** Every way in which a call can come about. Each makes calls one after the other, in one run and on behalf of one principal. */
import { type ApprovalAnswer, ApprovalQueue, type Guard } from "@toolrig/core";
import type { Asked, House } from "./house.ts";
import { forked, loop, resumed } from "./loops.ts";
import { plan } from "./plans.ts";
import { callOf, from, oneByOne, type Way } from "./way.ts";

const directlyAt = (house: House, asked: Asked, index: number) =>
  house.executor.call(callOf(asked, index), {
    ...from(house, asked),
    executionId: house.executionId(index),
  });

const directly: Way["make"] = (house, asked) =>
  oneByOne(asked, (each, index) => directlyAt(house, each, index));

const direct: Way = { name: "direct", source: "model", make: directly };

const batch: Way = {
  name: "batch",
  source: "model",
  calls: 2,
  make: (house, asked) =>
    oneByOne(asked, async (each, index) => {
      const beside = { id: `beside_${index}`, name: "idle", arguments: { n: index } };
      const executionIds = [undefined, house.executionId(index)];
      const options = { ...from(house, each), executionIds };
      return (await house.executor.batch([beside, callOf(each, index)], options))[1];
    }),
};

/** By a tool. What the model was cut off in is the call of that tool, or what that tool says. */
const nested: Way = {
  name: "nested",
  source: "tool",
  calls: 2,
  recorded: (house) => ({ parentId: house.executionId(0) }),
  make: (house, asked) =>
    oneByOne(asked, async (each, index) => {
      const args = each.cut?.noticed === false ? each.cut.text : each.args;
      const call = { id: `outer_${index}`, name: "relay", arguments: { name: each.name, args } };
      await house.executor.call(call, { ...from(house, each), executionId: house.executionId(index) });
      return house.relayed.at(-1);
    }),
};

/** What the model asked for is something else; somebody changes it to what is wanted. */
const DRAFT = { text: "a draft" };

const drafted: Way["make"] = (house, asked) =>
  oneByOne(asked, (each, index) => {
    house.wanted.set(`call_${index}`, each.args);
    return directlyAt(house, { ...each, args: DRAFT }, index);
  });

const asks: Guard = { name: "asks", before: () => ({ verdict: "ask", reason: "somebody must look" }) };

const edited: Way = {
  name: "edited",
  source: "model",
  options: (house) => ({
    guards: [asks],
    approve: ({ call, principal }): ApprovalAnswer => {
      house.judged.push({ name: "the approver", principal });
      return { approved: true, by: { id: "boss" }, args: house.wanted.get(call.id) };
    },
  }),
  make: drafted,
};

const granted: Way = {
  name: "granted",
  source: "model",
  personal: true,
  options: ({ store }) => ({
    guards: [asks],
    approve: new ApprovalQueue({ store: store.approvals, expireAfter: "100ms" }).approver,
  }),
  async make(house, asked, again) {
    if (again === undefined)
      for (const name of new Set(asked.map((each) => each.name))) await grant(house, name);
    return directly(house, asked);
  },
};

/** Somebody is asked once, and says that calls of this tool for this principal need not be asked about again. */
async function grant(house: House, name: string): Promise<void> {
  const queue = new ApprovalQueue({ store: house.store.approvals });
  const executionId = `${house.executionId(0)}_${name}`;
  const options = { runId: `${house.runId}_before`, principal: house.principal, executionId };
  await house.prepare({ guards: [asks], approve: queue.approver }, async (executor) => {
    const call = executor.call({ id: "first", name, arguments: DRAFT }, options);
    while ((await house.store.approvals.get(executionId)) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await queue.approve(executionId, { by: { id: "boss" }, always: { thisPrincipal: true } });
    if ((await call).attempts === 0) throw new Error(`${name} could not be granted.`);
  });
}

const rewrittenByGuard: Way = {
  name: "rewritten (guard)",
  source: "model",
  options: (house) => ({
    guards: [
      {
        name: "rewrites",
        before: ({ call }) => ({ verdict: "rewrite", args: house.wanted.get(call.id), reason: "as wanted" }),
      },
    ],
  }),
  make: drafted,
};

const rewrittenByHook: Way = {
  name: "rewritten (hook)",
  source: "model",
  options: (house) => ({ hooks: { beforeCall: ({ call }) => ({ args: house.wanted.get(call.id) }) } }),
  make: drafted,
};

/** Each runs in a process that dies once the outcome is in the ledger; the next one is answered by that. */
const replayed: Way = {
  name: "replayed",
  source: "model",
  answers: "from the ledger",
  async make(house, asked, again) {
    if (again === undefined) {
      await directly(house, asked);
      await house.reopen();
    }
    return directly(house, asked);
  },
};

/** Each is made twice: the second time there is an answer in memory, or one is under way. */
const memo: Way = {
  name: "memo",
  source: "model",
  pure: true,
  answers: "from memory",
  make: (house, asked) =>
    oneByOne(asked, async (each, index) => {
      const call = () => house.executor.call(callOf(each, index), from(house, each));
      const first = call();
      if (each.silent !== true) await first;
      return call();
    }),
};

export const WAYS: readonly Way[] = [
  direct,
  batch,
  nested,
  plan,
  loop,
  resumed,
  forked,
  edited,
  granted,
  rewrittenByGuard,
  rewrittenByHook,
  replayed,
  memo,
];
