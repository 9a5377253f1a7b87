import {
  type CallExecutor,
  type ContentPart,
  type ExecutorOptions,
  InformationFlow,
  textOf,
} from "@toolrig/core";
import type { Message, UserMessage } from "../model/message.ts";
import { isExecutor } from "./toolset.ts";
import type { Trace } from "./trace.ts";

/** The information-flow guard of a loop: the one it was given, or the one among the guards of its executor. */
export function flowOf({
  flow,
  executor = {},
}: {
  flow?: InformationFlow;
  executor?: CallExecutor | Pick<ExecutorOptions, "guards">;
}): InformationFlow | undefined {
  return flow ?? (isExecutor(executor) ? undefined : InformationFlow.of(executor.guards ?? []));
}

/** Whether a call under way has started the run: then its task is the model's words, and it is part of that call's run. */
export function isDelegated(flow: InformationFlow | undefined, { runId, parentId }: Trace): boolean {
  return flow !== undefined && parentId !== undefined && flow.startedBy(runId, parentId);
}

/** Tells the information-flow guard of a message that joins a run: what the user says is the user's choice. */
export function tellFlow(flow: InformationFlow, runId: string, message: Message): void {
  if (message.role !== "user" || message.origin === "format" || message.result !== undefined) return;
  if (message.untrusted === undefined) flow.userSaid(runId, message.said ?? textIn(message));
  else flow.outsiderSaid(runId, message.untrusted);
}

/** As `tellFlow`, for messages from before the run or from an earlier life of it, whose results the guard has not seen. */
export function remindFlow(flow: InformationFlow, runId: string, message: Message): void {
  tellFlow(flow, runId, message);
  if (message.role === "user" && message.result !== undefined)
    // Without the marks around it: they are nobody's words, and name the call.
    flow.recall(runId, { ...message.result, content: partsOf(message).slice(1, -1) });
  if (message.role !== "tool") return;
  for (const result of message.results) flow.recall(runId, result);
}

function partsOf({ content }: UserMessage): ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textIn({ content }: UserMessage): string {
  return typeof content === "string" ? content : textOf(content);
}
