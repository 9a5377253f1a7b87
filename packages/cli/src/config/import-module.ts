import { fileURLToPath } from "node:url";
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

/** Returns the folder of all packages of Toolrig: in a clone, or among the installed ones. */
function ownPackages(): string {
  return fileURLToPath(new URL("../../..", import.meta.url));
}

/** The first place in the user's files that the stack names. */
function placeOf(error: unknown): string {
  const own = ownPackages();
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const lines = stack.replaceAll(/\?reading=\d+/g, "").split("\n");
  const places = lines.flatMap((line) => /file:\/\/(\/\S+?:\d+(?::\d+)?)/.exec(line)?.[1] ?? []);
  const place = places.find((each) => !each.startsWith(own) && !each.includes("/node_modules/")) ?? places[0];
  return place === undefined ? "" : ` (at ${place})`;
}
