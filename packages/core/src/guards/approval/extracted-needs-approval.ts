import { hasSideEffects } from "../../tool/safety.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Guard } from "../guard.ts";

const guard: Guard = {
  name: "extracted-call",

  before({ tool }) {
    const reason = `the call of ${tool.name} was found in the model's text, and the tool has side effects`;
    return { verdict: "ask", reason };
  },
};

/** Asks about calls that were found in prose and would change something, and about calls that tools make for those. */
export function extractedNeedsApproval(tool: AnyTool, isExtracted: boolean): Guard | undefined {
  return isExtracted && hasSideEffects(tool.safety) ? guard : undefined;
}
