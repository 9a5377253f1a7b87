import type { AnyTool, ToolSource } from "@toolrig/core";
import type { Priority, Queue } from "../../wire/names.ts";

/** A queue that a worker takes calls from, and the tool whose limits hold for them. */
export interface ToolQueue extends Queue {
  id: string;
  tool: AnyTool;
}

/** For calls of any version of a tool, for each major version it has, and for each lane. */
export function queuesOf(source: ToolSource, lanes: readonly Priority[]): ToolQueue[] {
  const queues = new Map<string, ToolQueue>();
  for (const tool of source.tools()) {
    const { name } = tool;
    for (const major of [undefined, ...majorsOf(tool)]) {
      for (const priority of lanes) {
        const id = `${name}@${major}/${priority}`;
        const limits = major === undefined ? source.get(name) : undefined;
        queues.set(id, { id, name, major, priority, tool: limits ?? tool });
      }
    }
  }
  return [...queues.values()];
}

function majorsOf({ version }: AnyTool): number[] {
  return version === undefined ? [] : [Number(version.split(".")[0])];
}
