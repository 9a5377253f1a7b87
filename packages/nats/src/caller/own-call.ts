import type { BatchOptions, ToolCall } from "@toolrig/core";
import { check, checkCallOptions, defined, settingsOf } from "@toolrig/core/kit";
import { PRIORITIES } from "../wire/names.ts";
import type { RemoteCallOptions } from "./options.ts";

/** A call from outside may lack anything, or throw when it is read: what is missing is filled in so that it can be answered. */
export function ownCall(call: ToolCall): ToolCall {
  try {
    const { id, name, version, arguments: given } = call;
    return {
      id: id === undefined ? id : String(id),
      name: String(name ?? ""),
      arguments: given,
      ...defined({ version }),
    };
  } catch {
    return { id: "", name: "" };
  }
}

const OWN_OPTIONS = settingsOf<Pick<RemoteCallOptions, "priority" | "approval">>({
  priority: true,
  approval: true,
});

/** Throws `OPTION_INVALID` for options of a call or a batch that could not hold where it runs. */
export function checkRemoteOptions(
  options: RemoteCallOptions & Pick<BatchOptions, "executionIds" | "signals">,
): void {
  check.object("The options of a call", options);
  checkCallOptions(options, OWN_OPTIONS);
  const { timeoutMs, priority } = options;
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0))
    throw check.invalid("timeoutMs", "a number of milliseconds above 0", timeoutMs);
  check.oneOf("priority", priority, PRIORITIES);
}
