import type { ToolDefinition, ToolResult } from "@toolrig/core";
import { AI_SDK, check, defined, isWaiting, vendorName } from "@toolrig/core/kit";
import type { ToolSet } from "ai";
import { LiveLoop } from "../beneath/live-loop.ts";
import { type AssembledRig, partsOf, type RigLike } from "../beneath/rig-like.ts";
import type { RunIdentity } from "../beneath/run-identity.ts";
import { type PeerCall, Seat } from "../beneath/seat.ts";
import {
  type Denial,
  denialsIn,
  messagesOf,
  type Place,
  placeOf,
  printOf,
  type SdkAnswer,
  shortHash,
  timesCalled,
} from "./conversation.ts";
import type { OwnTool } from "./from-tool.ts";
import type { CallPart, Prompt } from "./language-model.ts";
import type { AiSdkCall, AiSdkOptions } from "./options.ts";
import { Reading } from "./reading.ts";
import { Runs, type SdkCall } from "./runs.ts";
import { UnknownTools } from "./unknown-tools.ts";
import { type Written, WrittenCalls, writtenIn } from "./written.ts";

/** What a tool set knows while it is in use: runs, what the model wrote, which calls end their run. */
export class ToolSetState {
  readonly rig: AssembledRig;
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  readonly asksPeer: boolean;
  readonly unknownTools = new UnknownTools();
  readonly #options: AiSdkOptions;
  readonly #runs: Runs;
  readonly #written = new WrittenCalls();
  readonly #readings = new WeakMap<Seat, Reading>();
  /** Of calls that have ended or stopped their run, what the AI SDK holds of them: their ids repeat. */
  readonly #ended = new WeakSet<object>();
  readonly #stopped = new WeakSet<object>();
  /** Prompts whose denials were heard, and the runs that calls are recorded in of which nothing else is known. */
  readonly #heard = new WeakSet<Prompt>();
  readonly #unknown = new WeakMap<object, Seat>();

  constructor(rig: RigLike, options: AiSdkOptions) {
    this.rig = partsOf(rig);
    this.#options = options;
    const { approval = "peer" } = options;
    const { executor, approvals } = this.rig;
    this.asksPeer = approval === "peer" && approvals !== undefined && executor.asksBeforeRun === true;
    this.#runs = new Runs(this.rig, options.run);
    const definitions = executor.definitions?.() ?? [];
    this.definitions = new Map(definitions.map((each) => [vendorName(each.name), each]));
  }

  /** Whether a tool yields values while it runs. One that runs elsewhere may. */
  streams(definition: ToolDefinition, own: OwnTool | undefined): boolean {
    if (own !== undefined) return own.streams;
    return this.rig.executor.tools?.get(definition.name)?.streams ?? true;
  }

  /** Keeps what the model wrote for a call until the AI SDK runs it, and gives back what the AI SDK can read. */
  wrote(toolCallId: string, toolName: string, written: Written): CallPart {
    return this.#written.add(toolCallId, toolName, written, this.definitions.get(toolName)?.inputSchema);
  }

  /** Whether somebody has to approve the call before it runs. */
  async needsApproval(call: SdkCall): Promise<boolean> {
    const place = placeOf(call.messages, call.toolCallId);
    // Asked again about a call that comes with its answer: that counts only if the question was there before it.
    if (place.answer !== undefined) return true;
    const seat = await this.#runs.of(call, this.#nameOf(call), place);
    return (await seat.begin(this.#told(seat, call, place, call))) !== undefined;
  }

  /** `options`: as the AI SDK gives them to `execute`. */
  async run(
    call: SdkCall,
    options: AiSdkCall & { abortSignal?: AbortSignal },
    onProgress: PeerCall["onProgress"],
  ): Promise<ToolResult> {
    const { toolCallId, toolName, input, messages } = call;
    const place = placeOf(messages, toolCallId);
    const found = this.#runs.of(call, this.#nameOf(call), place);
    const seat = found instanceof Seat ? found : await found;
    const made = {
      ...this.#told(seat, call, place, options),
      signal: options.abortSignal,
      onProgress,
    };
    const result = await (place.answer === undefined || !this.asksPeer
      ? seat.call(made)
      : this.#answered(seat, made, place.answer));
    if (seat.flow !== undefined) this.#readingOf(seat).answered(toolCallId, toolName);
    if (!isWaiting(result)) this.#written.ran(toolCallId, toolName, input);
    if (typeof input === "object" && input !== null) {
      if (result.terminate === true) this.#ended.add(input);
      if (result.stop !== undefined) this.#stopped.add(input);
    }
    return result;
  }

  /** A call that comes with an answer. Only one to a question that was asked before counts, once. */
  async #answered(seat: Seat, call: PeerCall, answer: SdkAnswer): Promise<ToolResult> {
    const made: PeerCall = { ...call, onWaiting: "return" };
    const wasAsked = (await seat.asked(made)) !== undefined;
    // Whatever is asked from now on is another question, whenever the same messages come again.
    if (!wasAsked) made.turn = `answered_${shortHash(answer.approvalId)}`;
    let result = await seat.call(made);
    // It waits, so that the question is about this very call.
    if (wasAsked && result.waiting?.kind === "approval") {
      await this.#write(seat, made, answer);
      result = await seat.call(made);
    }
    // Only an approval is the peer's to wait for.
    const isPeers = !isWaiting(result) || result.waiting.kind === "approval";
    return isPeers ? result : seat.call({ ...made, onWaiting: "hold" });
  }

  /** Ends, once, what was asked about calls that people have denied, and puts them on record. */
  async hearDenials(prompt: Prompt): Promise<void> {
    if (this.#heard.has(prompt)) return;
    this.#heard.add(prompt);
    for (const denial of denialsIn(prompt)) {
      const tool = this.definitions.get(denial.name);
      if (tool !== undefined) await this.#deny(tool, denial, prompt);
    }
  }

  async #deny({ name }: ToolDefinition, denial: Denial, prompt: Prompt): Promise<void> {
    const { id, input, at, reason } = denial;
    const { read: _, text = input, ...more } = this.#written.of(id, denial.name, input);
    const turn = timesCalled(prompt, id, at) || undefined;
    const call: PeerCall = { id, name, turn, arguments: text, ...more };
    const given = this.#givenBy(messagesOf(prompt), id);
    // Without the inbox it is on record still.
    const asking = () => this.#runs.asking(given, call, printOf(prompt, at)).catch(() => undefined);
    const runId = given.runId ?? (await asking());
    const seat = runId === undefined ? this.#seatOf(prompt, given) : this.#runs.named({ ...given, runId });
    await this.#write(seat, call, { approved: false, ...defined({ reason }) });
    const message = `${name} did not run: ${reason ?? "it was not approved"}.`;
    await seat.refuse(call, { code: "TOOL_APPROVAL_REJECTED", message });
    this.#written.ran(id, denial.name, input);
  }

  /** Whether the calls of a step have ended the run: one was stopped, or all asked for it. */
  hasEnded(inputs: readonly unknown[]): boolean {
    const isIn = (those: WeakSet<object>) => (input: unknown) => those.has(input as object);
    return inputs.some(isIn(this.#stopped)) || (inputs.length > 0 && inputs.every(isIn(this.#ended)));
  }

  /**
   * Puts a call on record that no tool of the set can take. It does not run, also where the rig has got such a tool since. Those of
   * one response have what was `sent` in common.
   */
  async refuse(
    call: PeerCall,
    messages: AiSdkCall["messages"],
    sent: object = messages,
  ): Promise<ToolResult | undefined> {
    const refused = await this.#seatOf(sent, this.#givenBy(messages, call.id)).refuse(call);
    if (refused !== undefined) this.unknownTools.add(call.name, refused);
    return refused;
  }

  /** What is said of the run of a call that the AI SDK does not make. */
  #givenBy(messages: AiSdkCall["messages"], toolCallId: string): RunIdentity {
    try {
      return this.#runs.given({ toolCallId, messages });
    } catch {
      // The loop goes on, whatever a function makes of messages that it did not expect.
      return {};
    }
  }

  #seatOf(sent: object, given: RunIdentity): Seat {
    if (given.runId !== undefined) return this.#runs.named(given);
    const seat = this.#unknown.get(sent) ?? new Seat(this.rig, given);
    this.#unknown.set(sent, seat);
    return seat;
  }

  /** An answer that does not count leaves the question open, and the call unrun. */
  async #write(seat: Seat, call: PeerCall, answer: Omit<SdkAnswer, "approvalId">): Promise<void> {
    const { approver: by = { id: "ai-sdk" } } = this.#options;
    await seat.answer(call, { ...answer, by }).catch(() => {});
  }

  /** The call for the pipeline, with what the model wrote where that is known; the run's guards hear what it has read. */
  #told(
    seat: Seat,
    { toolCallId, toolName, input, messages }: SdkCall,
    { turn, part }: Place,
    given: AiSdkCall,
  ): PeerCall {
    const schema = this.definitions.get(toolName)?.inputSchema;
    const {
      text = input,
      source,
      complete,
      read = [],
    } = {
      ...writtenIn(part, schema),
      ...this.#written.of(toolCallId, toolName, input),
    };
    if (seat.flow !== undefined) {
      this.#readingOf(seat).tell(seat, messages);
      for (const what of read) seat.flow.outsiderSaid(seat.runId, what);
    }
    const call: PeerCall = {
      id: toolCallId,
      name: this.#nameOf({ toolName }),
      arguments: text,
      turn,
      within: messages,
      response: messages,
      loop: new LiveLoop(AI_SDK, given),
    };
    if (source !== undefined) call.source = source;
    if (complete === false) call.complete = false;
    return call;
  }

  #nameOf({ toolName }: Pick<SdkCall, "toolName">): string {
    return this.definitions.get(toolName)?.name ?? toolName;
  }

  #readingOf(seat: Seat): Reading {
    let reading = this.#readings.get(seat);
    if (reading === undefined) {
      reading = new Reading();
      this.#readings.set(seat, reading);
    }
    return reading;
  }
}

const states = new WeakMap<object, ToolSetState>();

export function remember(tools: ToolSet, state: ToolSetState): void {
  for (const tool of Object.values(tools)) states.set(tool, state);
  states.set(tools, state);
}

/** The state of a tool set of ours, also where its tools are among others. Throws `OPTION_INVALID` when there are none. */
export function stateOf(tools: ToolSet): ToolSetState {
  check.object("tools", tools, "tools made by toAiSdkTools");
  for (const each of [tools, ...Object.values(tools)]) {
    const state = states.get(each);
    if (state !== undefined) return state;
  }
  throw check.invalid("tools", "a tool set with tools made by toAiSdkTools", tools);
}
