import type { ToolCall, ToolResult } from "@toolrig/core";
import { waitId, waitingAnswer } from "@toolrig/core/kit";

/**
 * The result of a call, or, when it takes longer, that it goes on: it does so on its worker, and `resultOf` has its result. The
 * time counts from when it was sent.
 */
export async function inBackground(
  running: Promise<ToolResult>,
  { call, executionId, afterMs }: { call: ToolCall; executionId: string; afterMs: number },
): Promise<ToolResult> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<ToolResult>((resolve) => {
    const wait = {
      id: waitId(executionId, "result"),
      kind: "background" as const,
      executionId,
      callId: call.id,
      name: call.name,
      createdAt: Date.now(),
      body: undefined,
    };
    timer = setTimeout(() => resolve(waitingAnswer(call, wait, 1)), Math.min(afterMs, MAX_TIMER_MS));
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;
