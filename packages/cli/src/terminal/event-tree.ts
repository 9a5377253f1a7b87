import type { CallEvent } from "@toolrig/core";
import { describeEvent, type EventText, eventLines } from "./event-text.ts";
import { paint, roomOf } from "./output.ts";
import type { Stream } from "./streams.ts";

interface CallNode {
  title: string;
  items: (CallNode | { at: number; event: EventText })[];
}

/**
 * Calls as trees: a call is a node, what happened to it its leaves in order with the time since the first event, and
 * calls that its tool made are nodes among them.
 */
export function drawTrees(events: readonly CallEvent[], stream: Stream = "stdout"): string[] {
  const origin = events[0]?.at ?? 0;
  const nodes = new Map<string, CallNode>();
  const roots: CallNode[] = [];
  for (const event of events) {
    if (event.type === "call.settled") continue; // Its end tells the same and more.
    const described = describeEvent(event);
    if (event.type !== "call.start") {
      nodes.get(event.executionId)?.items.push({ at: event.at - origin, event: described });
      continue;
    }
    const node: CallNode = { title: paint(described.text, described.tone, stream), items: [] };
    nodes.set(event.executionId, node);
    const parent = event.parentId === undefined ? undefined : nodes.get(event.parentId);
    (parent?.items ?? roots).push(node);
  }
  return roots.flatMap((root) => [root.title, ...branches(root, stream, roomOf(stream))]);
}

function branches(node: CallNode, stream: Stream, room: number): string[] {
  return node.items.flatMap((item, index) => {
    const last = index === node.items.length - 1;
    const branch = last ? "└─ " : "├─ ";
    const below = last ? "   " : "│  ";
    const left = room - below.length;
    const [first, ...rest] =
      "event" in item
        ? eventLines(item.at, item.event, stream, left)
        : [item.title, ...branches(item, stream, left)];
    return [`${branch}${first}`, ...rest.map((line) => `${below}${line}`)];
  });
}
