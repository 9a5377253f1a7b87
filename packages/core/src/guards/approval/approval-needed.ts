import type { CallSource } from "../../call/call.ts";
import { hasSideEffects } from "../../tool/safety.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Guard } from "../guard.ts";

/** Part of every chain, at its end: asks for tools that say so, and for calls found in prose that would change something. */
export const approvalNeeded = {
  name: "approval-needed",

  concerns(tool: AnyTool, source: CallSource | undefined): boolean {
    return tool.approval !== undefined || (source === "extracted" && hasSideEffects(tool.safety));
  },

  async before({ tool, args, source }) {
    if (source === "extracted" && hasSideEffects(tool.safety)) {
      const reason = `the call of ${tool.name} was found in the model's text, and the tool has side effects`;
      return { verdict: "ask", reason };
    }
    const needed = (await tool.approval?.(args)) ?? true;
    return needed === false ? undefined : { verdict: "ask", reason: `${tool.name} requires approval` };
  },
} satisfies Guard & { concerns: unknown };
