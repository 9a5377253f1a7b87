import type { AnyTool } from "../../tool/tool.ts";
import type { Guard } from "../guard.ts";
import { extractedNeedsApproval } from "./extracted-needs-approval.ts";

/** At the end of the chain: asks for tools that say so. */
const approvalNeeded: Guard = {
  name: "approval-needed",

  async before({ tool, args }) {
    const needed = (await tool.approval?.(args)) ?? true;
    return needed === false ? undefined : { verdict: "ask", reason: `${tool.name} requires approval` };
  },
};

/** Who asks about a call whether a person must approve it; nobody, for most. */
export function approvalGuard(tool: AnyTool, isExtracted: boolean): Guard | undefined {
  return (
    extractedNeedsApproval(tool, isExtracted) ?? (tool.approval === undefined ? undefined : approvalNeeded)
  );
}
