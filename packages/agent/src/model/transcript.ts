import type { AssistantMessage, Message, ToolCallPart, ToolResultPart } from "./message.ts";
import { callsOf } from "./message.ts";

/** What is wrong with a transcript, in words; empty for one that every provider accepts. */
export function transcriptProblems(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const previous = messages[index - 1];
    if (message.role === "tool" && previous?.role !== "assistant") {
      problems.push(`message ${index} holds results that no call precedes`);
    }
    if (message.role !== "assistant") continue;
    if (message.content.length === 0) problems.push(`message ${index} is empty`);
    const calls = callsOf(message);
    for (const { id } of calls) {
      if (seen.has(id)) problems.push(`call id ${id} of message ${index} is not unique`);
      seen.add(id);
    }
    const next = messages[index + 1];
    const results = next?.role === "tool" ? next.results : [];
    const asked = calls.map((call) => call.id).join("\n");
    const answered = results.map((result) => result.callId).join("\n");
    if (asked !== answered)
      problems.push(`the calls of message ${index} and the results after it do not match`);
  }
  return problems;
}

export interface RepairedTranscript {
  messages: readonly Message[];
  /** What was changed, in words. Empty when the transcript was valid, which is then returned as it is. */
  changes: string[];
}

/**
 * Makes a transcript from elsewhere valid to send: calls without a result get one that says so, results are put after
 * their calls, and what belongs to nothing is left out. The messages given are not changed.
 */
export function repairTranscript(messages: readonly Message[]): RepairedTranscript {
  if (transcriptProblems(messages).length === 0) return { messages, changes: [] };
  const repair = new Repair(messages);
  return { messages: repair.run(), changes: repair.changes };
}

class Repair {
  readonly changes: string[] = [];
  readonly #messages: readonly Message[];
  readonly #taken = new Set<ToolResultPart>();
  readonly #ids = new Set<string>();
  /** Results by call id, each with the place of its message: providers repeat ids, so the next one after the call counts. */
  readonly #results = new Map<string, { at: number; result: ToolResultPart }[]>();

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
    for (const [at, message] of messages.entries()) {
      if (message.role !== "tool") continue;
      for (const result of message.results) {
        const same = this.#results.get(result.callId);
        if (same === undefined) this.#results.set(result.callId, [{ at, result }]);
        else same.push({ at, result });
      }
    }
  }

  run(): Message[] {
    const repaired: Message[] = [];
    for (const [index, message] of this.#messages.entries()) {
      if (message.role === "tool") continue;
      if (message.role !== "assistant") repaired.push(message);
      else if (message.content.length === 0) this.changes.push(`left out message ${index}, which is empty`);
      else repaired.push(...this.#assistant(message, index));
    }
    const lost = [...this.#results.values()].flat().filter(({ result }) => !this.#taken.has(result));
    if (lost.length > 0) this.changes.push(`left out ${lost.length} results that belong to no call`);
    return repaired;
  }

  #assistant(message: AssistantMessage, index: number): Message[] {
    const calls = callsOf(message);
    if (calls.length === 0) return [message];
    const results: ToolResultPart[] = [];
    const renamed = new Map<ToolCallPart, ToolCallPart>();
    for (const call of calls) {
      const id = this.#uniqueId(call.id);
      if (id !== call.id) {
        renamed.set(call, { ...call, id });
        this.changes.push(`renamed the repeated call id ${call.id} of message ${index} to ${id}`);
      }
      results.push({ ...(this.#resultFor(call, index) ?? missing(call)), callId: id });
    }
    const content = message.content.map((part) => renamed.get(part as ToolCallPart) ?? part);
    return [renamed.size === 0 ? message : { ...message, content }, { role: "tool", results }];
  }

  #resultFor(call: ToolCallPart, index: number): ToolResultPart | undefined {
    const candidates = this.#results.get(call.id) ?? [];
    const found = candidates.find(({ at, result }) => at > index && !this.#taken.has(result));
    if (found === undefined) {
      this.changes.push(`added a result for call ${call.id} of message ${index}, which had none`);
      return undefined;
    }
    this.#taken.add(found.result);
    if (found.at !== index + 1) this.changes.push(`moved the result of call ${call.id} after its call`);
    return found.result;
  }

  #uniqueId(id: string): string {
    let unique = id === "" ? "call" : id;
    for (let count = 2; this.#ids.has(unique); count++) unique = `${id === "" ? "call" : id}_${count}`;
    this.#ids.add(unique);
    return unique;
  }
}

function missing({ id, name }: ToolCallPart): ToolResultPart {
  const text =
    "Error (TOOL_OUTCOME_UNKNOWN): No result of this call was recorded; it may or may not have run.\n" +
    "Verify what happened before you try again.";
  return { callId: id, name, executionId: "", isError: true, content: [{ type: "text", text }] };
}
