import { resolve } from "node:path";
import { type ToolResult, ToolrigError } from "@toolrig/core";
import { runCode } from "@toolrig/sandbox";
import type { Store } from "@toolrig/store";
import { CONFIG_OPTION } from "../config/load-settings.ts";
import { openRig } from "../config/open-rig.ts";
import type { Rig } from "../rig/rig.ts";
import type { OptionTable } from "../shell/command.ts";
import { parseJson, readStdin } from "../terminal/input.ts";

/** The options of every command that ends a wait. */
export const ENDING_OPTIONS = {
  ...CONFIG_OPTION,
  store: { type: "string", short: "s", value: "FILE", describe: "the store (default: the config's)" },
  as: { type: "string", value: "NAME", describe: "who does it (default: the user of this machine)" },
} as const satisfies OptionTable;

interface EndingValues {
  readonly config?: string;
  readonly store?: string;
}

/** The configured rig on its store: what ends here is seen through here, where the tool is configured. */
export async function withWaits<Result>(
  { config, store }: EndingValues,
  use: (rig: Rig & { store: Store }) => Promise<Result>,
): Promise<Result> {
  const rig = await openRig(config, store === undefined ? {} : { store: resolve(store) });
  try {
    const { store: kept } = rig;
    if (kept === undefined)
      throw new ToolrigError(
        "OPTION_INVALID",
        'What waits is kept in a store: give --store FILE, or set store: "toolrig.db" in the config.',
      );
    // What ends may be what a script waits for, which then goes on here, also where models are not given scripts.
    if (rig.registry.get("run_code") === undefined) rig.registry.add(runCode(rig));
    return await use({ ...rig, store: kept });
  } finally {
    await rig.close();
  }
}

/** JSON as it was typed, or from standard input. */
export async function givenJson(text: string | undefined, what: string): Promise<unknown> {
  const read = text === "-" ? await readStdin() : text;
  return read === undefined ? undefined : parseJson(read, what);
}

/** How a call ended, on one line. */
export function endText(executionId: string, result: ToolResult | undefined): string {
  if (result === undefined) return `${executionId} is completed; a process that has its tool will settle it.`;
  if (result.failure !== undefined)
    return `${executionId} is completed, and failed: ${result.failure.message}`;
  return `${executionId} is completed.`;
}
