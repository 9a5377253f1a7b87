import type { BatchOptions, ToolCall } from "@toolrig/core";
import { check } from "@toolrig/core/kit";
import { PRIORITIES } from "../wire/names.ts";
import type { RemoteCallOptions } from "./executor.ts";

/** A call from outside may lack anything, or throw when it is read: what is missing is filled in so that it can be answered. */
export function ownCall(call: ToolCall): ToolCall {
  try {
    const { id, name, version, arguments: given } = call;
    return {
      id: id === undefined ? id : String(id),
      name: String(name ?? ""),
      arguments: given,
      ...(version !== undefined && { version }),
    };
  } catch {
    return { id: "", name: "" };
  }
}

/** Throws `OPTION_INVALID` for options of a call that could not hold where it runs. */
export function checkCallOptions(options: RemoteCallOptions): void {
  check.object("The options of a call", options);
  const { signal, executionId, principal, timeoutMs, priority } = options;
  // A controller instead of its signal would be noticed only once somebody wants to cancel.
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    throw check.invalid("signal", "an AbortSignal, such as controller.signal", signal);
  checkExecutionId("executionId", executionId);
  if (principal !== undefined && typeof principal?.id !== "string")
    throw check.invalid("principal", 'somebody with an id, such as { id: "ada" }', principal);
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0))
    throw check.invalid("timeoutMs", "a number of milliseconds above 0", timeoutMs);
  check.oneOf("priority", priority, PRIORITIES);
}

/** The same for a batch, and for calls that are no list. */
export function checkBatch(calls: readonly ToolCall[], options: BatchOptions & RemoteCallOptions): void {
  check.list("calls", calls, "a list of calls");
  checkCallOptions(options);
  options.executionIds?.forEach((each, index) => {
    checkExecutionId(`executionIds[${index}]`, each);
  });
}

/** On the wire an id is a text. What is none would be run as one thing and waited for as another. */
function checkExecutionId(field: string, id: unknown): void {
  if (id !== undefined && typeof id !== "string") throw check.invalid(field, "a text", id);
}
