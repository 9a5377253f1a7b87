import type { BatchOptions, ToolCall } from "@toolrig/core";
import { check, defined } from "@toolrig/core/kit";
import { type RemoteCallOptions, remoteBatchOptions, remoteCallOptions } from "./options.ts";

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

/** Throws `OPTION_INVALID` for an unknown option of a call and for a wrong value of one. */
export function checkRemoteCall(options: RemoteCallOptions): void {
  check.object("The options of a call", options, "an object of options");
  remoteCallOptions.checkOwn(options);
}

/** The same for a batch. */
export function checkRemoteBatch(
  options: BatchOptions & Pick<RemoteCallOptions, "priority" | "approval">,
): void {
  check.object("The options of a batch", options, "an object of options");
  remoteBatchOptions.checkOwn(options);
}
