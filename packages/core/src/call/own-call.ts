import { copy, frozenCopy } from "../copy.ts";
import { newId } from "../ids.ts";
import { isPlainObject } from "../is-record.ts";
import { check } from "../options/check.ts";
import { messageOf } from "../plain.ts";
import { type BatchOptions, batchOptions, type CallOptions, callOptions, type ToolCall } from "./call.ts";
import { traceIn } from "./trace.ts";

/** In the place of arguments that throw when they are read. */
export class UnreadableArguments {
  readonly reason: string;

  constructor(error: unknown) {
    this.reason = messageOf(error);
  }
}

/**
 * A call as it came, whatever whoever made it does to their object afterwards. One from outside may lack anything, or throw
 * when read: what is missing is filled in so that it can be answered.
 */
export function ownCall(call: ToolCall): ToolCall {
  try {
    const { id, name, version, arguments: given } = call;
    const own: ToolCall = {
      id: id === undefined || id === null ? newId("call") : String(id),
      name: String(name ?? ""),
      arguments: ownArguments(given),
    };
    if (version !== undefined) own.version = version;
    return own;
  } catch {
    return { id: newId("call"), name: "" };
  }
}

function ownArguments(given: unknown): unknown {
  if (typeof given !== "object") return given;
  try {
    return copy(given);
  } catch (error) {
    return new UnreadableArguments(error);
  }
}

/** What is said with most calls. */
export const NO_OPTIONS: CallOptions = Object.freeze({});

/** A checked copy of the options of a call. Throws `OPTION_INVALID` for an unknown option and for a wrong value. */
export function ownOptions(given: CallOptions): CallOptions {
  return given === NO_OPTIONS ? given : owned(given, callOptions);
}

/** The same for the options of a batch. */
export function ownBatchOptions(given: BatchOptions): BatchOptions {
  return given === NO_OPTIONS ? given : owned(given, batchOptions);
}

function owned<Options extends CallOptions | BatchOptions>(
  given: Options,
  declared: Pick<typeof callOptions, "checkOwn" | "names">,
): Options {
  check.object("The options of a call", given, "an object of options");
  const own = isPlainObject(given) ? { ...given } : withInherited(given, declared.names);
  declared.checkOwn(own);
  const { principal, allow, trace } = own;
  if (trace !== undefined) Object.assign(own, { trace: traceIn(trace) });
  if (principal !== undefined) own.principal = frozenCopy(principal);
  if (allow !== undefined && !Object.isFrozen(allow)) own.allow = Object.freeze([...allow]);
  return own;
}

/** A copy that also has the options which an instance of a class, such as an `AbortController`, has from its prototype. */
function withInherited<Options extends object>(given: Options, names: readonly string[]): Options {
  const inherited = names.filter((name) => name in given).map((name) => [name, given[name as keyof Options]]);
  return { ...Object.fromEntries(inherited), ...given } as Options;
}
