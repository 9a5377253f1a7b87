import type { CallSource, ToolDefinition, ToolResult } from "@toolrig/core";
import { decode } from "@toolrig/core/json";
import { check, vendorName } from "@toolrig/core/kit";
import type { ToolSet } from "ai";
import { type AssembledRig, partsOf, type RigLike } from "../beneath/rig-like.ts";
import type { GivenRun } from "../beneath/run-identity.ts";
import { type PeerCall, Seat } from "../beneath/seat.ts";
import type { CallPart, Prompt } from "./language-model.ts";
import { approvalIn, denialsIn, Reading } from "./messages.ts";
import type { AiSdkCall, AiSdkOptions } from "./options.ts";

/** What a model wrote, before the AI SDK made something of it. */
export interface Written {
  text: string;
  source?: CallSource;
  complete?: boolean;
}

const MAX_WRITTEN = 10_000;
const MAX_SEATS = 1_000;

/** What a tool set knows while it is in use: runs, what the model wrote, which calls end their run. */
export class ToolSetState {
  readonly rig: AssembledRig;
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  readonly asksPeer: boolean;
  readonly #options: AiSdkOptions;
  readonly #seats = new Map<string, Seat>();
  readonly #found = new WeakMap<object, Seat | Promise<Seat>>();
  readonly #written = new Map<string, Written & { readable: string }>();
  readonly #readings = new WeakMap<Seat, Reading>();
  readonly #ended = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #denied = new Set<string>();

  constructor(rig: RigLike, options: AiSdkOptions) {
    this.rig = partsOf(rig);
    this.#options = options;
    const { approval = "peer" } = options;
    const { executor, approvals } = this.rig;
    this.asksPeer = approval === "peer" && approvals !== undefined && executor.asksBeforeRun === true;
    const definitions = executor.definitions?.() ?? [];
    this.definitions = new Map(definitions.map((each) => [vendorName(each.name), each]));
  }

  /**
   * Keeps what the model wrote for a call until the AI SDK runs it. A call that the AI SDK can read comes back: with what the model
   * wrote, or what could be repaired of it. What counts is what the pipeline makes of the text.
   */
  wrote(toolCallId: string, toolName: string, written: Written): CallPart {
    const { text } = written;
    const readable = isJson(text) ? text : repaired(text, this.definitions.get(toolName)?.inputSchema);
    this.#written.set(toolCallId, { ...written, readable: readable.trim() === "" ? "{}" : readable });
    dropOldest(this.#written, MAX_WRITTEN);
    return { type: "tool-call", toolCallId, toolName, input: readable };
  }

  /** A call of the AI SDK, with what the model wrote where that is known. */
  peerCall(name: string, input: unknown, id: string): PeerCall {
    const kept = this.#written.get(id);
    // Ids repeat, also between runs that share the tools: what was written for another call is not this one's.
    const written = kept !== undefined && isSame(kept.readable, input) ? kept : undefined;
    const call: PeerCall = { id, name, arguments: written?.text ?? input };
    if (written?.source !== undefined) call.source = written.source;
    if (written?.complete === false) call.complete = false;
    return call;
  }

  /** Whether somebody has to approve the call before it runs. */
  async needsApproval(name: string, input: unknown, options: AiSdkCall): Promise<boolean> {
    // Asked again about a call that comes with its answer: that counts only if the question was there before it.
    if (approvalIn(options.messages, options.toolCallId) !== undefined) return true;
    const seat = await this.#seatOf(options);
    this.#readingOf(seat).tell(seat, options.messages);
    return (await seat.begin(this.peerCall(name, input, options.toolCallId))) !== undefined;
  }

  async run(call: PeerCall, options: AiSdkCall): Promise<ToolResult> {
    this.#ended.delete(call.id);
    this.#stopped.delete(call.id);
    const found = this.#seatOf(options);
    const seat = found instanceof Seat ? found : await found;
    const reading = seat.flow === undefined ? undefined : this.#readingOf(seat);
    reading?.tell(seat, options.messages);
    const result = await (this.asksPeer ? this.#answered(seat, call, options) : seat.call(call));
    reading?.answered(call.id);
    if (result.terminate === true) addTo(this.#ended, call.id);
    if (result.stop !== undefined) addTo(this.#stopped, call.id);
    return result;
  }

  /** A call that people may have been asked about. */
  async #answered(seat: Seat, call: PeerCall, { messages }: AiSdkCall): Promise<ToolResult> {
    const answer = approvalIn(messages, call.id);
    if (answer !== undefined) await this.#write(seat, call, answer);
    const result = await seat.call({ ...call, onWaiting: "return" });
    // Only an approval is the peer's to wait for.
    return result.waiting === undefined || result.waiting.kind === "approval" ? result : seat.call(call);
  }

  /** Ends, once, what was asked about calls that people have denied. */
  async hearDenials(prompt: Prompt): Promise<void> {
    if (!this.asksPeer) return;
    for (const { id, name, input, reason } of denialsIn(prompt)) {
      const tool = this.definitions.get(name);
      if (tool === undefined || this.#denied.has(id)) continue;
      addTo(this.#denied, id);
      const options = { toolCallId: id, messages: [] };
      const seat = await this.#seatOf(options);
      const call = this.peerCall(tool.name, input, id);
      await this.#write(seat, call, { approved: false, ...(reason !== undefined && { reason }) });
      const why = reason ?? "it was not approved";
      await seat.refuse(call, {
        code: "TOOL_APPROVAL_REJECTED",
        message: `${tool.name} did not run: ${why}.`,
      });
    }
  }

  /** Whether the calls of a step have ended the run: one was stopped, or all asked for it. */
  hasEnded(callIds: readonly string[]): boolean {
    const isStopped = callIds.some((id) => this.#stopped.has(id));
    return isStopped || (callIds.length > 0 && callIds.every((id) => this.#ended.has(id)));
  }

  /** Puts a call on record that no tool of the set can take. It does not run, also where the rig has got such a tool since. */
  refuse(call: PeerCall): Promise<ToolResult | undefined> {
    const { run } = this.#options;
    return this.#seat(typeof run === "function" ? undefined : run).refuse(call);
  }

  /** An answer that does not count leaves the question open, and the call unrun. */
  async #write(seat: Seat, call: PeerCall, answer: { approved: boolean; reason?: string }): Promise<void> {
    const { approver: by = { id: "ai-sdk" } } = this.#options;
    await seat.answer(call, { ...answer, by }).catch(() => {});
  }

  #seatOf(call: AiSdkCall): Seat | Promise<Seat> {
    const { run } = this.#options;
    if (run !== undefined) return this.#seat(typeof run === "function" ? run(call) : run);
    const [key] = call.messages;
    const known = key && this.#found.get(key);
    if (known !== undefined) return known;
    const seat = this.asksPeer
      ? this.#runAsking(call.toolCallId).then((asking) => new Seat(this.rig, asking))
      : new Seat(this.rig);
    if (key !== undefined) this.#found.set(key, seat);
    return seat;
  }

  /** The run of an earlier process that asked about this call. */
  async #runAsking(callId: string): Promise<string | undefined> {
    const open = (await this.rig.approvals?.store.list({ open: true })) ?? [];
    return open.find(({ pending }) => pending.callId === callId)?.pending.runId;
  }

  #seat(run: GivenRun | undefined): Seat {
    const key = typeof run === "string" ? run : JSON.stringify(run ?? "");
    const known = this.#seats.get(key);
    if (known !== undefined) return known;
    const seat = new Seat(this.rig, run);
    this.#seats.set(key, seat);
    dropOldest(this.#seats, MAX_SEATS);
    return seat;
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

function isJson(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Vendors take nothing but objects back. */
function repaired(text: string, schema: unknown): string {
  const decoded = decode(text, { schema });
  const value = decoded.ok ? decoded.value : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? JSON.stringify(value) : "{}";
}

function addTo(ids: Set<string>, id: string): void {
  ids.add(id);
  dropOldest(ids, MAX_WRITTEN);
}

/** Whether a value is what a text says, as the AI SDK reads it. */
function isSame(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function dropOldest(map: Map<string, unknown> | Set<string>, most: number): void {
  const oldest = map.size > most ? map.keys().next() : undefined;
  if (oldest?.done === false) map.delete(oldest.value);
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
