import type { AnyTool, ToolSource } from "@toolrig/core";
import { executeSubject, type Priority, type Queue } from "../../wire/names.ts";

/** A queue that a worker takes calls from, and the tool whose limits hold for them. */
export interface ToolQueue extends Queue {
  id: string;
  tool: AnyTool;
}

/** Which queues a worker looks at, of each tool. */
export interface QueueKinds {
  lanes: readonly Priority[];
  /** Whether calls come from other accounts, too. */
  imported: boolean;
}

/** For calls of any version of a tool, for each major version it has, for each lane, and for what other accounts send. */
export function queuesOf(source: ToolSource, { lanes, imported: imports }: QueueKinds): ToolQueue[] {
  const queues = new Map<string, ToolQueue>();
  for (const tool of source.tools()) {
    const { name } = tool;
    for (const major of [undefined, ...majorsOf(tool)]) {
      for (const priority of lanes) {
        for (const imported of imports ? [false, true] : [false]) {
          const queue = { name, major, priority, imported };
          const limits = major === undefined ? source.get(name) : undefined;
          queues.set(executeSubject(queue), { ...queue, id: executeSubject(queue), tool: limits ?? tool });
        }
      }
    }
  }
  return [...queues.values()];
}

function majorsOf({ version }: AnyTool): number[] {
  return version === undefined ? [] : [Number(version.split(".")[0])];
}
