import { createHash } from "node:crypto";
import {
  type InputRequiredResult,
  type InputResponses,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { CallExecutor, CallOptions, ToolCall, ToolResult } from "@toolrig/core";
import { canonicalJson, newId, traceIn } from "@toolrig/core/kit";
import { type Asked, askedBy, asks, canAnswer, canBeAsked, requestsOf } from "./asking.ts";
import { AttendedCall } from "./attended-call.ts";
import { type Caller, callOptionsOf } from "./caller.ts";
import type { Pace } from "./pace.ts";
import type { Seal } from "./seal.ts";
import type { ServedParts } from "./served-rig.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { Tasks } from "./tasks/tasks.ts";
import type { UnderWay } from "./under-way.ts";
import type { Updates } from "./updates.ts";

/** What every call of a server needs. */
export interface Serving {
  readonly parts: ServedParts;
  readonly seal: Seal;
  readonly updates: Updates;
  readonly answerWithinMs: number;
  /** Undefined where only somebody else knows what calls wait for. */
  readonly tasks: Tasks | undefined;
  /** Calls that wait with their code in memory, by execution: their clients come back for them. */
  readonly held: Map<string, AttendedCall>;
  readonly underWay: UnderWay;
  readonly pace: Pace;
  readonly subscriptions: Subscriptions;
  /** Told after every call: it may have changed what there is to list. */
  called(): void;
}

/** Of a request, what a call needs. */
export interface CallContext {
  readonly mcpReq: Pick<
    ServerContext["mcpReq"],
    "_meta" | "envelope" | "inputResponses" | "notify" | "requestState" | "signal"
  >;
  /** Where it came over HTTP. */
  readonly http?: { readonly req?: Pick<Request, "headers"> };
}

/** The trace that a client's request is part of: what stands in the message comes before what its transport says. */
function traceOf({ mcpReq, http }: CallContext): Pick<CallOptions, "trace"> {
  const trace = traceIn(mcpReq._meta) ?? traceIn(http?.req?.headers);
  return trace === undefined ? {} : { trace };
}

/** A request of a client as a call. */
export interface Wanted {
  /** Of the request: an answer to a prompt is none to a tool. */
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
  readonly executor: CallExecutor;
  /** Its calls may go on in the background when they are answered. */
  readonly goesOn?: boolean;
}

/** What goes through the client while a call waits for its answer. */
interface State {
  /** The execution. */
  e: string;
  /** What it is bound to: whose call of what with which arguments. */
  b: string;
  /** The waits that were asked about, by what the client knows them by. */
  k: Readonly<Record<string, string>>;
}

const prefix = newId("mcp");
let made = 0;

/**
 * Makes a call and sees it through what the client can answer: a result, or what the client is asked for. Whoever comes back
 * with the answers goes on with the same execution, so that nothing happens twice.
 */
export async function callFor(
  serving: Serving,
  caller: Caller,
  wanted: Wanted,
  ctx: CallContext,
): Promise<ToolResult | InputRequiredResult> {
  const id = `${prefix}.${++made}`;
  const answering = canBeAsked(caller.capabilities(ctx));
  const holding = answering ? new AttendedCall(id) : undefined;
  const silence = serving.updates.hear(id, ctx, caller, holding?.tell);
  const call: ToolCall = { id, name: wanted.name, arguments: wanted.args };
  const request =
    wanted.goesOn === true && holding === undefined ? untilAnswered(ctx.mcpReq.signal) : ctx.mcpReq;
  const options: CallOptions = {
    ...callOptionsOf(caller),
    ...traceOf(ctx),
    signal: holding?.signal ?? request.signal,
    onWaiting: answering && comesBack(serving, caller) ? "return" : "continue",
  };
  // The tool that searches has an executor of its own, and calls nothing.
  if (wanted.executor !== serving.parts.executor) delete options.allow;
  try {
    const recorded = serving.pace.whenRecorded();
    if (recorded !== undefined) await recorded;
    const isAnswer = ctx.mcpReq.inputResponses !== undefined || ctx.mcpReq.requestState() !== undefined;
    const result = holding === undefined && !isAnswer ? await wanted.executor.call(call, options) : undefined;
    if (result !== undefined && !asks(result)) return result;
    return await new Conversation(serving, caller, wanted, ctx, call, options, holding).run(result);
  } finally {
    if ("answered" in request) request.answered();
    if (holding?.kept === undefined) silence();
    else void holding.kept.then(silence);
    serving.called();
  }
}

/** Cancels the call that its client was asked for something by, and gives up. */
export async function cancelWaiting({ parts, held }: Serving, state: unknown): Promise<void> {
  const { e } = state as State;
  held.get(e)?.cancel();
  await parts.waits?.cancel(e, { reason: "its client cancelled the request" });
}

/** Giving up a request cancels its call; the end of a request that was answered does not cancel what goes on. */
function untilAnswered(given: AbortSignal): { signal: AbortSignal; answered(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(given.reason);
  given.addEventListener("abort", abort, { once: true });
  if (given.aborted) abort();
  return { signal: controller.signal, answered: () => given.removeEventListener("abort", abort) };
}

/** Where the client cannot be asked for an approval that may be needed, the call goes on without its coming back. */
function comesBack({ parts }: Serving, { approver }: Caller): boolean {
  return parts.approvals === undefined || approver !== undefined;
}

/** Whether somebody elsewhere can answer, too. */
function isForPeople(needs: Asked["needs"]): boolean {
  return needs === "elicitation" || needs === "elicitation.url";
}

/** One request of a client that can be asked things, or that answers what it was asked. */
class Conversation {
  readonly #serving: Serving;
  readonly #caller: Caller;
  readonly #wanted: Wanted;
  readonly #ctx: CallContext;
  readonly #call: ToolCall;
  readonly #options: CallOptions;
  readonly #holding: AttendedCall | undefined;
  readonly #refused = new Set<string>();
  #attended: AttendedCall | undefined;
  #leave: (() => void) | undefined;

  constructor(
    serving: Serving,
    caller: Caller,
    wanted: Wanted,
    ctx: CallContext,
    call: ToolCall,
    options: CallOptions,
    holding: AttendedCall | undefined,
  ) {
    this.#serving = serving;
    this.#caller = caller;
    this.#wanted = wanted;
    this.#ctx = ctx;
    this.#call = call;
    this.#options = options;
    this.#holding = holding;
  }

  /** From the first result on, where there is one. */
  async run(begun: ToolResult | undefined): Promise<ToolResult | InputRequiredResult> {
    const state = this.#ctx.mcpReq.requestState<State>();
    if (state !== undefined && state.b !== this.#binding())
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The requestState is of another request.");
    const responses = { ...this.#ctx.mcpReq.inputResponses } as InputResponses;
    let executionId = state?.e;
    try {
      if (executionId !== undefined) {
        await this.#answer(await this.#asked(executionId), responses, state?.k ?? {});
        const again = await this.#askAgain(executionId);
        if (again !== undefined) return again;
      }
      for (let first = begun; ; first = undefined) {
        const result = first ?? (await this.#go(executionId));
        if (typeof result !== "string" && !asks(result)) return result;
        executionId = typeof result === "string" ? result : result.executionId;
        const asked = await this.#asked(executionId);
        if ((await this.#answer(asked, responses, {})) > 0) continue;
        const told = await this.#ask(executionId, asked);
        if (told !== undefined) return told;
        // Its code waits in memory for somebody elsewhere: the client waits for the result, or for a question that it can answer.
        if (typeof result !== "string") return result;
      }
    } finally {
      // The request is over, which the call need not be.
      this.#leave?.();
    }
  }

  /** Asks for what is still open of a call whose code waits in memory: an answer that did not fit makes no news. */
  async #askAgain(executionId: string): Promise<InputRequiredResult | undefined> {
    if (!this.#serving.held.has(executionId)) return undefined;
    return this.#ask(executionId, await this.#asked(executionId));
  }

  #asked(executionId: string): Promise<readonly Asked[]> {
    return askedBy(this.#serving.parts, executionId, this.#caller, this.#caller.capabilities(this.#ctx));
  }

  /** The result; or the execution, when its code waits in memory. */
  async #go(executionId: string | undefined): Promise<ToolResult | string> {
    const { held } = this.#serving;
    const known = executionId === undefined ? undefined : held.get(executionId);
    const call = known ?? this.#holding;
    this.#attend(call);
    const options = executionId === undefined ? this.#options : { ...this.#options, executionId };
    const pending = known?.kept ?? this.#wanted.executor.call(this.#call, options);
    if (call === undefined) return pending;
    const first = await call.first(pending);
    if (typeof first === "string" && call.kept === undefined) {
      call.kept = pending;
      held.set(first, call);
      void pending.then(() => held.delete(first));
    }
    return first;
  }

  /** What is told of the call goes to this request, and who gives it up gives up the call. */
  #attend(call: AttendedCall | undefined): void {
    if (call === undefined || call === this.#attended) return;
    this.#attended = call;
    this.#leave = call.during(this.#ctx.mcpReq.signal);
    if (call === this.#holding) return;
    this.#serving.updates.hear(call.callId, this.#ctx, this.#caller, call.tell);
  }

  /** How many answers counted. What somebody else has answered meanwhile is answered; what does not fit is asked again. */
  async #answer(
    asked: readonly Asked[],
    responses: InputResponses,
    sealed: Readonly<Record<string, string>>,
  ): Promise<number> {
    let counted = 0;
    for (const each of asked) {
      const response = Object.hasOwn(responses, each.key) ? responses[each.key] : undefined;
      if (response === undefined || (each.sealed && sealed[each.key] !== each.id)) continue;
      delete responses[each.key];
      try {
        await each.answer(response);
        counted += 1;
      } catch {
        // A question is asked again, if it is still open. Whose word on an approval does not count is not asked for it again.
        if (each.sealed) this.#refused.add(each.id);
      }
    }
    return counted;
  }

  /** What the client is asked for. Undefined when it can answer nothing of it. */
  async #ask(executionId: string, asked: readonly Asked[]): Promise<InputRequiredResult | undefined> {
    const capabilities = this.#caller.capabilities(this.#ctx);
    const answerable = asked.filter(
      ({ id, needs }) => canAnswer(capabilities, needs) && !this.#refused.has(id),
    );
    if (answerable.length > 0) {
      const { seal, answerWithinMs } = this.#serving;
      const k = Object.fromEntries(answerable.map(({ key, id }) => [key, id]));
      const state: State = { e: executionId, b: this.#binding(), k };
      // Before 2026-07-28 the request goes on with the answer.
      if (this.#ctx.mcpReq.envelope === undefined) this.#leave = undefined;
      const requestState = seal.close(state, Date.now() + answerWithinMs);
      return inputRequired({ inputRequests: requestsOf(answerable), requestState });
    }
    const missing = asked.map(({ needs }) => needs).find((needs) => !isForPeople(needs));
    return missing === undefined ? undefined : this.#cannot(executionId, missing);
  }

  /** What only a client can answer, and this one cannot, nobody will. */
  async #cannot(executionId: string, needs: Asked["needs"]): Promise<never> {
    await this.#serving.parts.waits?.cancel(executionId, { reason: `the client has no ${needs}` });
    const requiredCapabilities = needs === "sampling.tools" ? { sampling: { tools: {} } } : { [needs]: {} };
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
  }

  #binding(): string {
    const { method, name, args } = this.#wanted;
    const whose = canonicalJson([this.#caller.owner, method, name, args ?? null]);
    return createHash("sha256").update(whose).digest("base64url");
  }
}
