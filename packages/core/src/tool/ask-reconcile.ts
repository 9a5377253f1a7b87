import type { AnyTool, Reconciled } from "./tool.ts";

/** What a tool says became of an execution that was left open. Unknown when it cannot say. Never rejects. */
export async function askReconcile(tool: AnyTool, args: unknown, executionId: string): Promise<Reconciled> {
  try {
    return (await tool.reconcile?.(args, executionId)) ?? { outcome: "unknown" };
  } catch {
    return { outcome: "unknown" };
  }
}
