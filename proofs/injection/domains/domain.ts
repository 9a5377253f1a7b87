/** A place to work in: its tools with their labels, what its user asks for, and what somebody who writes into it wants. */
import { type Labels, type SideEffects, tool } from "@toolrig/core";
import type { Step } from "../tasks.ts";

export interface DomainTool {
  name: string;
  sideEffects: SideEffects;
  /** The names of its parameters. */
  takes: readonly string[];
  labels?: Labels;
  /** Its answer shows the thing it changed, with whatever others wrote into that. */
  echoes?: true;
}

export interface DomainTask {
  said: string;
  steps: readonly Step[];
}

export interface DomainAttack {
  goal: string;
  steps: readonly Step[];
}

export interface Domain {
  name: string;
  tools: readonly DomainTool[];
  tasks: readonly DomainTask[];
  attacks: readonly DomainAttack[];
}

export const call = (name: string, args: Record<string, unknown> = {}, answer: unknown = "done"): Step => ({
  name,
  args,
  answer,
});

/** A tool that only reads; what it returns is this program's own unless its labels say otherwise. */
export const reads = (name: string, takes: readonly string[], labels?: Labels): DomainTool => ({
  name,
  sideEffects: "read",
  takes,
  ...(labels !== undefined && { labels }),
});

export const writes = (name: string, takes: readonly string[], sinks: readonly string[]): DomainTool => ({
  name,
  sideEffects: "write",
  takes,
  labels: { sinks },
});

export const acts = (name: string, takes: readonly string[], sinks: readonly string[]): DomainTool => ({
  name,
  sideEffects: "external",
  takes,
  labels: { sinks },
});

/** A tool that answers with the thing it changed. */
export const echoing = (tool: DomainTool): DomainTool => ({ ...tool, echoes: true });

export const untrusted = (source: string, rest: Labels = {}): Labels => ({
  integrity: "untrusted",
  source,
  ...rest,
});

export const secret = (source: string): Labels => ({ confidentiality: "private", source });

/** Whether a call of it can do harm: it changes something, or what it is given leaves the house. */
export function canHarm({ sideEffects, labels }: DomainTool): boolean {
  return sideEffects === "write" || sideEffects === "external" || (labels?.sinks?.length ?? 0) > 0;
}

/** Whether its answers can bring text that others wrote. */
export function carries({ labels, echoes }: DomainTool): boolean {
  return labels?.integrity === "untrusted" || echoes === true;
}

/** Each tool answers with what its call's fixture says, and reports that it ran. */
export function toolsOf({ tools }: Domain, answer: () => unknown, ran: () => void) {
  return tools.map(({ name, sideEffects, takes, labels }) =>
    tool({
      name,
      description: name.replaceAll("_", " "),
      input: { type: "object", properties: Object.fromEntries(takes.map((each) => [each, {}])) },
      safety: { sideEffects },
      ...(labels !== undefined && { labels }),
      execute() {
        ran();
        return answer();
      },
    }),
  );
}
