import { check, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import type { Engine, EngineEvent, EngineRequest, FinishReason, Usage } from "../model/engine.ts";
import { ModelFault } from "../model/faults.ts";
import { newCallId } from "../model/message.ts";

interface PlainReply {
  reasoning?: string;
  text?: string;
  calls?: readonly ScriptedCall[];
  /** Default: "tool-calls" with calls, else "stop". */
  finish?: FinishReason;
  usage?: Usage;
  /** Thrown after everything else was said. */
  error?: unknown;
}

/** One response of a scripted model. Text alone is an answer. */
export type ScriptedReply =
  | string
  | PlainReply
  /** The events themselves, in full control. */
  | readonly EngineEvent[]
  | AsyncIterable<EngineEvent>;

export interface ScriptedCall {
  /** Default: a new one. */
  id?: string;
  name: string;
  /** The argument text, or a value to write as JSON. Default {}. */
  arguments?: unknown;
}

/** Replies in order, or a function that is asked for each. */
export type Script = readonly ScriptedReply[] | ((request: EngineRequest, turn: number) => ScriptedReply);

const callOptions = declareOptions("a call", {
  id: option.text(),
  name: option.text({ required: true }),
  arguments: option.anything("text or a value"),
} satisfies OptionTable<ScriptedCall>);

const replyOptions = declareOptions("a reply", {
  reasoning: option.anyText(),
  text: option.anyText(),
  calls: option.listOf("a list of calls such as { name, arguments }", option.group(callOptions)),
  finish: option.text(),
  usage: option.object(),
  error: option.anything("what is thrown"),
} satisfies OptionTable<PlainReply>);

const engineOptions = declareOptions("scriptedEngine", {
  name: option.text({ default: "scripted" }),
} satisfies OptionTable<{ name?: string }>);

/** A misspelt field would be read as silence. Throws `OPTION_INVALID`. */
function checkReply(place: string, reply: unknown): void {
  if (typeof reply === "string" || Array.isArray(reply)) return;
  check.object(place, reply, "text, or an object such as { text, calls }");
  if (Symbol.asyncIterator in (reply as object)) return;
  replyOptions.check(reply, place);
}

/**
 * A model that says what it is told to, for tests and demonstrations. Takes no time.
 *
 * @example
 * ```ts
 * import { AgentLoop, scriptedEngine } from "@toolrig/agent";
 *
 * const inOrder = scriptedEngine([{ reasoning: "A greeting.", text: "Hello!" }, "Goodbye."]);
 * const asked = scriptedEngine((request, turn) => `${turn}: ${request.messages.length} message`);
 * console.log((await new AgentLoop({ engine: inOrder }).run("Hi").outcome).text); //=> Hello!
 * console.log((await new AgentLoop({ engine: asked }).run("Hi").outcome).text); //=> 1: 1 message
 * ```
 */
export function scriptedEngine(script: Script, options: { name?: string } = {}): Engine {
  const { name } = engineOptions.withDefaults(options);
  if (typeof script !== "function") {
    check.list("script", script, 'a list of replies such as ["Hello!"], or a function');
    for (const [index, reply] of script.entries()) checkReply(`reply ${index + 1}`, reply);
  }
  let turn = 0;
  const replyTo = (request: EngineRequest): ScriptedReply => {
    turn += 1;
    if (typeof script === "function") return script(request, turn);
    const reply = script[turn - 1];
    if (reply !== undefined) return reply;
    throw new ModelFault(
      "invalid_request",
      `The script ends after reply ${script.length} and was asked for one more.`,
    );
  };
  return {
    name,
    stream(request) {
      const reply = replyTo(request);
      if (typeof script === "function") checkReply(`reply ${turn}`, reply);
      if (typeof reply === "object" && (Array.isArray(reply) || Symbol.asyncIterator in reply)) {
        return reply as readonly EngineEvent[] | AsyncIterable<EngineEvent>;
      }
      return eventsOf(reply as Exclude<ScriptedReply, readonly EngineEvent[] | AsyncIterable<EngineEvent>>);
    },
  };
}

function* eventsOf(
  reply: Exclude<ScriptedReply, readonly EngineEvent[] | AsyncIterable<EngineEvent>>,
): Iterable<EngineEvent> {
  const {
    reasoning,
    text,
    calls = [],
    finish,
    usage,
    error,
  } = typeof reply === "string" ? { text: reply } : reply;
  if (reasoning !== undefined) yield { type: "reasoning", text: reasoning };
  if (text !== undefined) yield { type: "text", text };
  for (const { id = newCallId(), name, arguments: args = {} } of calls) {
    const written = typeof args === "string" ? args : JSON.stringify(args);
    yield { type: "tool-call", id, name, arguments: written };
  }
  if (error !== undefined) throw error;
  if (usage !== undefined) yield { type: "usage", usage };
  yield { type: "finish", reason: finish ?? (calls.length > 0 ? "tool-calls" : "stop") };
}
