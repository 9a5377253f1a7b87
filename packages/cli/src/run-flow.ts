import type { AgentLoopOptions, LoopEvent, Message, UserMessage } from "@toolrig/agent";
import { type InformationFlow, type JournalEntry, textOf } from "@toolrig/core";

/** Tells the information-flow guard what the user says in a run, whose values are the user's choice, and what others say. */
export function followFlow(
  flow: InformationFlow | undefined,
  { events, messages = [] }: { events?: AgentLoopOptions["events"]; messages?: readonly Message[] },
): Pick<AgentLoopOptions, "events"> {
  if (flow === undefined) return {};
  return {
    events(event: LoopEvent) {
      if (event.type === "run.start") for (const message of messages) hear(flow, event.runId, message);
      if (event.type === "message") hear(flow, event.runId, event.message);
      if (typeof events === "function") events(event);
      else events?.append(event);
    },
  };
}

/** What a run has heard and read, from its journal: a resumed run is as careful as it was. */
export function recallFlow(
  flow: InformationFlow | undefined,
  runId: string,
  entries: readonly JournalEntry[],
): void {
  if (flow === undefined) return;
  for (const entry of entries) {
    if (entry.type === "message") hear(flow, runId, entry.message as Message);
    else if (entry.type === "result") flow.recall(runId, entry.result);
  }
}

function hear(flow: InformationFlow, runId: string, message: Message): void {
  if (message.role !== "user" || message.origin === "format") return;
  if (message.untrusted !== undefined) flow.outsiderSaid(runId, message.untrusted);
  else flow.userSaid(runId, said(message));
}

function said({ content }: UserMessage): string {
  return typeof content === "string" ? content : textOf(content);
}
