import { hasSideEffects } from "../../tool/safety.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Guard } from "../guard.ts";

/** At the end of the chain: asks for tools that say so. */
const approvalNeeded: Guard = {
  name: "approval-needed",

  async before({ tool, args }) {
    const needed = (await tool.approval?.(args)) ?? true;
    return needed === false ? undefined : { verdict: "ask", reason: `${tool.name} requires approval` };
  },
};

/** For calls that were found in prose, and for calls that tools make on their behalf. */
const extractedNeedsApproval: Guard = {
  name: "approval-needed",

  before({ tool }) {
    const reason = `the call of ${tool.name} was found in the model's text, and the tool has side effects`;
    return { verdict: "ask", reason };
  },
};

/** Which of them a call is asked about by. */
export function approvalGuard(tool: AnyTool, isExtracted: boolean): Guard | undefined {
  if (isExtracted && hasSideEffects(tool.safety)) return extractedNeedsApproval;
  return tool.approval === undefined ? undefined : approvalNeeded;
}
