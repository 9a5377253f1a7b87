import { lstatSync, statSync } from "node:fs";
import { ToolrigError } from "@toolrig/core";
import { findConfig } from "./load-config.ts";

/**
 * The config that applies in a folder. A config is run, and one that is merely found may have been put there by somebody else:
 * it is refused unless it is the user's own, also for completion. Throws `CONFIG_INVALID`.
 */
export function findOwnConfig(folder: string): string | undefined {
  const file = findConfig(folder);
  const stranger =
    file === undefined ? undefined : [statSync(file), lstatSync(file)].find(({ uid }) => !isMe(uid));
  if (stranger === undefined) return file;
  throw new ToolrigError(
    "CONFIG_INVALID",
    `${file} belongs to another user (${stranger.uid}), and is not run. If you trust it, name it: --config ${file}`,
  );
}

/** Whoever became root by sudo is still the user who typed it. */
function isMe(uid: number): boolean {
  const me = process.getuid?.();
  return me === undefined || uid === me || (me === 0 && process.env.SUDO_UID === String(uid));
}
