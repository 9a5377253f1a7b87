import { copy, frozenCopy } from "../copy.ts";
import { newId } from "../ids.ts";
import { check, settingsOf } from "../options/check.ts";
import { messageOf } from "../plain.ts";
import type { BatchOptions, CallOptions, ToolCall } from "./call.ts";
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

/** The options of a call as they were given. Throws `OPTION_INVALID` for those that could not hold. */
export function ownOptions<Options extends CallOptions>(given: Options): Options {
  if (given === (NO_OPTIONS as Options)) return given;
  checkCallOptions(given);
  const { principal, allow, trace } = given;
  const own = { ...given };
  if (trace !== undefined) Object.assign(own, { trace: traceIn(trace) });
  if (principal !== undefined) own.principal = frozenCopy(principal);
  if (allow !== undefined && !Object.isFrozen(allow)) own.allow = Object.freeze([...allow]);
  return own;
}

const SETTINGS = settingsOf<CallOptions & BatchOptions>({
  signal: true,
  timeoutMs: true,
  complete: true,
  source: true,
  runId: true,
  requestId: true,
  stepName: true,
  parentId: true,
  principal: true,
  trace: true,
  allow: true,
  executionId: true,
  onWaiting: true,
  beforeRun: true,
  onUpdate: true,
  reshape: true,
  batch: true,
  refusal: true,
  mode: true,
  executionIds: true,
  refusals: true,
  signals: true,
});
const KNOWN: ReadonlySet<string> = new Set(SETTINGS);

/**
 * Throws `OPTION_INVALID` for options of a call or a batch that could not hold, or that there are not, wherever it runs. `more` are
 * those that an executor has of its own.
 */
export function checkCallOptions(
  options: CallOptions & Pick<BatchOptions, "executionIds" | "signals">,
  more: readonly string[] = [],
): void {
  for (const name in options)
    if (!KNOWN.has(name) && !more.includes(name)) check.known("A call", options, [...SETTINGS, ...more]);
  const { signal, principal, allow, parentId, executionId, executionIds, signals, onWaiting, trace, batch } =
    options;
  checkSignal("signal", signal);
  signals?.forEach((each, index) => {
    checkSignal(`signals[${index}]`, each);
  });
  if (principal !== undefined && typeof principal?.id !== "string")
    throw check.invalid("principal", 'somebody with an id, such as { id: "ada" }', principal);
  if (allow !== undefined) check.strings("allow", allow, "a list of names of tools and providers");
  if (trace !== undefined && traceIn(trace) === undefined)
    throw check.invalid("trace", "what traceIn(headers) gives: { traceparent, tracestate? }", trace);
  if (batch !== undefined && typeof batch?.run !== "function")
    throw check.invalid("batch", "a CallBatch", batch);
  check.oneOf("onWaiting", onWaiting, ["hold", "return", "leave"]);
  checkId("parentId", parentId);
  checkId("executionId", executionId);
  executionIds?.forEach((each, index) => {
    checkId(`executionIds[${index}]`, each);
  });
}

/** A controller instead of its signal would be noticed only once somebody wants to cancel. */
function checkSignal(field: string, signal: AbortSignal | undefined): void {
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    throw check.invalid(field, "an AbortSignal, such as controller.signal", signal);
}

/** What is no text would be run as one thing and asked for as another. */
function checkId(field: string, id: unknown): void {
  if (id !== undefined && typeof id !== "string") throw check.invalid(field, "a text", id);
}
