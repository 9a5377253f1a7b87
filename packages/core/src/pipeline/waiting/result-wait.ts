import { type Wait, waitId } from "../../stores/waits.ts";
import type { Services } from "../services.ts";

/** What an execution waits for whose result comes by itself: from elsewhere, or from its own code in the background. */
export async function resultWait({ waits }: Services, executionId: string): Promise<Wait | undefined> {
  const later = await waits.get(waitId(executionId, "result"));
  if (later !== undefined) return later;
  const [running] = await waits.list({ executionId, kind: "background", open: true, limit: 1 });
  return running;
}
