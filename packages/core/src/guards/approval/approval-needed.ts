import type { CallingLoop } from "../../call/calling-loop.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Guard } from "../guard.ts";
import { extractedNeedsApproval } from "./extracted-needs-approval.ts";

/** At the end of the chain: asks for tools that say so. */
function approvalNeeded(loop: CallingLoop | undefined): Guard {
  return {
    name: "approval-needed",

    async before({ tool, args, call: { id: callId }, runId, principal }) {
      const needed = (await tool.approval?.(args, { callId, runId, principal, loop })) ?? true;
      return needed === false ? undefined : { verdict: "ask", reason: `${tool.name} requires approval` };
    },
  };
}

/** Who asks about a call whether a person must approve it; nobody, for most. */
export function approvalGuard(
  tool: AnyTool,
  isExtracted: boolean,
  loop: CallingLoop | undefined,
): Guard | undefined {
  return (
    extractedNeedsApproval(tool, isExtracted) ??
    (tool.approval === undefined ? undefined : approvalNeeded(loop))
  );
}
