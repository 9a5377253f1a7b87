import type { AnyTool, DataLabels, InformationFlow, ToolSource } from "@toolrig/core";
import { joinLabels, labelsWithoutGuard, newestAvailable } from "@toolrig/core/kit";
import { type Message, resultsIn } from "../model/message.ts";

/** What is known of what a run has read by the guard that follows it; undefined when it has read nothing to be careful with. */
export function labelsByFlow(flow: InformationFlow, runId: string): DataLabels | undefined {
  const { untrusted, private: secrets } = flow.labels(runId);
  const sources = [...new Set([...untrusted, ...secrets])].slice(-5).join(", ");
  return labelsOf(sources, untrusted.length > 0, secrets.length > 0);
}

/** The same where no guard follows the run: by what tools, messages and definitions say of themselves. */
export function labelsByTranscript(
  messages: readonly Message[],
  source: ToolSource,
  offered: readonly { readonly name: string }[],
): DataLabels | undefined {
  let read: DataLabels | undefined;
  const add = (labels: DataLabels) => {
    if (labels.integrity !== "untrusted" && labels.confidentiality !== "private") return;
    read = joinLabels(read, labels);
  };
  for (const { name } of offered) {
    const tool = newestAvailable(source, name);
    if (tool !== undefined && !vouchesForItself(tool)) add(outside(`the definition of ${name}`));
  }
  for (const message of messages) {
    if (message.role === "user" && message.untrusted !== undefined) add(outside(message.untrusted));
    for (const { name, labels } of resultsIn(message)) {
      const tool = source.get(name);
      add(tool === undefined ? (labels ?? outside(name)) : labelsWithoutGuard(tool, labels));
    }
  }
  return labelsOf(read?.source, read?.integrity === "untrusted", read?.confidentiality === "private");
}

function vouchesForItself({ trusted, labels }: AnyTool): boolean {
  return trusted || labels?.integrity === "trusted";
}

function outside(source: string): DataLabels {
  return { integrity: "untrusted", source };
}

function labelsOf(source: string | undefined, untrusted: boolean, secret: boolean): DataLabels | undefined {
  if (!untrusted && !secret) return undefined;
  return {
    ...(untrusted && { integrity: "untrusted" }),
    ...(secret && { confidentiality: "private" }),
    ...(source !== undefined && source !== "" && { source }),
  };
}
