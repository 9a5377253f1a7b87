import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { moduleAddress } from "./module-hooks.ts";

/** Imports a module of the user's. Throws `CONFIG_INVALID` with the place of the fault. */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(moduleAddress(file))) as Record<string, unknown>;
  } catch (error) {
    throw new ToolrigError(
      "CONFIG_INVALID",
      `${file} could not be loaded: ${messageOf(error)}${placeOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** The first place in the user's files that the stack names. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const place = /file:\/\/(\/\S+?:\d+(?::\d+)?)/.exec(stack.replaceAll(/\?reading=\d+/g, ""))?.[1];
  return place === undefined ? "" : ` (at ${place})`;
}
