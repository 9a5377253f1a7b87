import type { Script, Task } from "../workload.ts";

/**
 * Plays a conversation: asks the script for a reply, runs its calls, and so on until the script answers with text or
 * `turns` replies were read. Resolves with what a caller would hold on to afterwards.
 */
export type Play = (script: Script, turns?: number) => Promise<unknown>;

/** Builds what a user of the runtime would build once: its tools. */
export type Peer = (tasks: readonly Task[]) => Play;
