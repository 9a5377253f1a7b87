import type { Run } from "@toolrig/agent";
import type { Policy } from "@toolrig/core";
import { type Rig, rig } from "../rig/rig.ts";
import { demoEngine, TASK } from "./agent.ts";
import { demoTools } from "./tools.ts";

const POLICY: Policy = {
  profile: "standard",
  rules: [
    { name: "reading is free", when: { sideEffects: ["none", "read"] }, verdict: "allow" },
    {
      name: "nothing from outside is published",
      when: { tool: "publish_*", runLabels: "untrusted" },
      verdict: "deny",
      reason: "the run has read text of somebody outside, and what is published cannot be taken back",
    },
    {
      name: "large refunds",
      when: { tool: "refund_order", args: { properties: { euros: { exclusiveMinimum: 200 } } } },
      verdict: "ask",
      reason: "more than 200 euros",
    },
  ],
};

export interface Shop {
  rig: Rig;
  /** The scripted agent takes up its task. The run goes on by itself when what it waits for has come. */
  start(): Run;
  /** Goes on with what an earlier process left: runs in the middle of a turn at once, others when what they wait for has come. */
  resumeAll(): void;
}

/**
 * A rig with the demonstration's tools, rules and agent, all of it kept in `store`, the path of a file. `paceMs` is how long the
 * agent thinks before it speaks, and a page of its report takes.
 */
export function openShop(store: string, { paceMs = 600 }: { paceMs?: number } = {}): Shop {
  const shop = rig({
    tools: demoTools({ pageMs: paceMs }),
    store,
    policy: POLICY,
    engine: demoEngine({ paceMs }),
  });
  return {
    rig: shop,
    start: () => shop.run(TASK, { onWaiting: "continue", principal: { id: "support-agent" } }),
    resumeAll() {
      const left = shop.store?.journal.runs({ ended: false, kind: "loop" }) ?? [];
      for (const { header, waiting } of left)
        if (waiting === undefined) shop.resume(header.runId, { onWaiting: "continue" });
      shop.resumeWhenReady({}, { onWaiting: "continue" });
    },
  };
}
