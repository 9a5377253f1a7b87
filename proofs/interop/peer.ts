import type { Principal } from "@toolrig/core";
import type { Rig } from "../../packages/cli/src/rig/rig.ts";
import type { BehaviourName } from "./behaviours.ts";
import type { Wire } from "./vendors/tool-results.ts";

/** The question that an approver gets, as far as the peer shows it. */
export interface AskedFor {
  name: string;
}

export interface Decision {
  approved: boolean;
  /** Also later calls of the tool, where the peer has that. */
  alwaysApprove?: boolean;
  reason?: string;
  args?: unknown;
}

/** One task for a peer's loop whose tools are those of a rig. */
export interface Task {
  rig: Rig;
  /** Address of the model. */
  origin: string;
  prompt: string;
  /** The model's answers are streamed. */
  streams: boolean;
  runId?: string;
  /** A tool that the agent is not given. */
  without?: string;
  /** For whom the run is made, where the row is about that. */
  principal?: Principal;
  signal?: AbortSignal;
  /** Told what the peer tells of a tool that runs. */
  onProgress(text: string): void;
  /** Answers of the peer's people. Absent: nobody is asked. */
  decide?: (asked: AskedFor) => Decision | Promise<Decision>;
}

/** A loop that is not ours. */
export interface Peer {
  name: string;
  /** The package and its pinned version. */
  version: string;
  wire: Wire;
  /** What the design of the peer forbids, and why. Where somebody else answers in its place, how. */
  forbids: Partial<Record<BehaviourName, string>>;
  /** Where people answer: in the peer's own flow, or in the rig's inbox. Default "peer". */
  approves?: "peer" | "inbox";
  /** Where they can answer with other arguments. Default: as `approves`. */
  edits?: "peer" | "inbox";
  /** Another peer goes the same ways: this one is left to the full version. */
  fullOnly?: boolean;
  /** Runs the task to its end, and rejects only when the loop itself does. Resolves with the last text. */
  run(task: Task): Promise<string>;
  close?(): Promise<void>;
}

/** The run of a task, as adapters take it. One without an id is found by what the peer knows of it. */
export function runOf({ runId, principal }: Task) {
  return { ...(runId !== undefined && { runId }), ...(principal !== undefined && { principal }) };
}
