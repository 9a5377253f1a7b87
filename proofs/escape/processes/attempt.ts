import type { Answer, Stage } from "../stage.ts";

export interface ProcessAttempt {
  name: string;
  expected: string;
  /**
   * What has to be there: a sandbox, limits, or a system that limits the number of processes. Without it the attempt is not
   * made, since nothing is promised.
   */
  needs?: "namespaces" | "limits" | "processes";
  /** Left out of the quick version. */
  full?: true;
  /** What was seen instead of what was expected. */
  miss(stage: Stage): Promise<string | undefined>;
}

export function unless(holds: boolean, seen: string): string | undefined {
  return holds ? undefined : seen.slice(0, 200);
}

export function isKind(answer: Answer, kind: string): string | undefined {
  return unless(answer.failure?.kind === kind, answer.failure?.message ?? answer.text);
}
