import { afterEach, describe, expect, test, vi } from "vitest";
import {
  ApprovalQueue,
  Executor,
  type GrantScope,
  type Guard,
  InformationFlow,
  policyGuard,
  Registry,
  tool,
} from "../../index.ts";
import { MemoryApprovalStore, newId } from "../../kit.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const bob = { id: "bob" };
const ann = { id: "ann" };

interface Setting {
  description?: string;
  provider?: string;
  guards?: readonly Guard[];
  approval?: boolean;
  store?: MemoryApprovalStore;
}

/** Payments that ask; a question that no grant answers is denied, and counts as "asked". */
function payments({ description = "Pay", provider, guards = [], approval = true, store }: Setting = {}) {
  const kept = store ?? new MemoryApprovalStore();
  const queue = new ApprovalQueue({ store: kept, pollEvery: "5ms" });
  const pay = tool({
    name: "pay",
    description,
    input: { type: "object" },
    safety: { sideEffects: "external" },
    ...(approval && { approval }),
    execute: () => "paid",
  });
  const tools = new Registry();
  tools.add(pay, provider === undefined ? {} : { provider });
  const executor = new Executor({ tools, guards, approve: queue.approver });
  const call = async (
    answer: (executionId: string) => Promise<void>,
    { args = { amount: 5 }, runId, principal, source }: Options = {},
  ) => {
    const executionId = newId("exec");
    const more = {
      executionId,
      ...(runId !== undefined && { runId }),
      ...(principal !== undefined && { principal }),
      ...(source !== undefined && { source }),
    };
    const result = executor.call({ id: "c", name: "pay", arguments: args }, more);
    let asked = false;
    for (let settled = false; !settled && !asked; ) {
      settled = await Promise.race([
        result.then(() => true),
        new Promise<false>((go) => setTimeout(go, 1, false)),
      ]);
      asked = (await kept.get(executionId)) !== undefined;
    }
    if (asked) await answer(executionId);
    const { failure } = await result;
    return failure === undefined ? (asked ? "answered" : "granted") : asked ? "asked" : failure.code;
  };
  return {
    store: kept,
    grant: (always: GrantScope = {}, options?: Options) =>
      call((id) => queue.approve(id, { by: bob, always }), options),
    attempt: (options?: Options) => call((id) => queue.deny(id, { by: { id: "nobody" } }), options),
  };
}

interface Options {
  args?: unknown;
  runId?: string;
  principal?: { id: string };
  source?: "extracted";
}

describe("a grant", () => {
  test("answers the same question again, and not for its own giver", async () => {
    const { grant, attempt } = payments();
    expect(await grant({}, { principal: ann })).toBe("answered");
    expect(await attempt({ principal: ann })).toBe("granted");
    expect(await attempt({ principal: { id: "carl" } })).toBe("granted");
    expect(await attempt({ principal: bob })).toBe("asked");
    expect(await attempt({ principal: { id: "Bob" } })).toBe("asked");
  });

  test("is for one tool of one provider", async () => {
    const { store, grant } = payments();
    await grant();
    expect(await payments({ store }).attempt()).toBe("granted");
    expect(await payments({ store, provider: "mcp:evil" }).attempt()).toBe("asked");
    expect(await payments({ store, description: "Pay, and tell everybody" }).attempt()).toBe("asked");
  });

  test("answers only the guards that it was given to", async () => {
    const policy = policyGuard({ rules: [{ when: { tool: "pay" }, verdict: "ask", reason: "money" }] });
    const { store, grant } = payments({ guards: [policy], approval: false });
    await grant();
    expect(await payments({ store, guards: [policy], approval: false }).attempt()).toBe("granted");
    expect(await payments({ store, guards: [policy] }).attempt()).toBe("asked");
    expect(await payments({ store }).attempt()).toBe("asked");
    const own = payments();
    await own.grant();
    expect(await own.attempt({ source: "extracted" })).toBe("asked");
  });

  test("never answers what always asks, and cannot be given for it", async () => {
    const flow = new InformationFlow();
    const { grant, attempt } = payments({ guards: [flow.guard], approval: false });
    flow.outsiderSaid("r", "a page");
    expect(await grant({}, { runId: "r" })).toBe("answered");
    expect(await attempt({ runId: "r" })).toBe("granted");
    flow.recall("r", {
      name: "read_mail",
      labels: { integrity: "untrusted", confidentiality: "private", source: "mail" },
      isError: false,
      content: [],
    });
    expect(await attempt({ runId: "r" })).toBe("asked");
    await expect(grant({}, { runId: "r" })).rejects.toThrow(/asked about every time/);
  });

  test("that is kept from before it said what it is for answers nothing", async () => {
    const { store, attempt } = payments();
    store.addGrant({ id: "grant_1", tool: "pay", by: bob, at: 0 });
    expect(await attempt()).toBe("asked");
  });

  test.each<[title: string, constraints: Record<string, unknown>, within: unknown, ...beyond: unknown[]]>([
    [
      "deeper",
      { properties: { to: { properties: { sum: { maximum: 50 } } } } },
      { to: { sum: 5 } },
      { to: {} },
    ],
    ["$ref", { $ref: "#/$defs/a", $defs: { a: { properties: { sum: { maximum: 50 } } } } }, { sum: 5 }, {}],
    ["another type", { properties: { sum: { maximum: 50 } } }, { sum: 5 }, { sum: "5000" }, { sum: [5000] }],
    ["a big integer", { properties: { sum: { maximum: 50 } } }, { sum: 5 }, { sum: 5_000n }],
  ])("holds its bounds: %s", async (_title, constraints, within, ...beyond) => {
    const { grant, attempt } = payments();
    await grant({ constraints }, { args: within });
    expect(await attempt({ args: within })).toBe("granted");
    for (const args of beyond) expect(await attempt({ args })).toBe("asked");
  });

  test("ends when its time is up, also if the machine slept meanwhile", async () => {
    const { grant, attempt } = payments();
    await grant({ for: "1h" });
    expect(await attempt()).toBe("granted");
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now + 3_600_001);
    expect(await attempt()).toBe("asked");
  });
});
