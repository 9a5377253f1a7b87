import { denied, failure, type ToolFailure, unavailable, validation } from "@toolrig/core";
import type { SpawnRequest } from "./helper/messages.ts";

/** Why a command could not be started, from what the system says. */
export function refused(
  { file, cwd }: SpawnRequest,
  { code, message }: { code: string; message: string },
): ToolFailure {
  switch (code) {
    case "OUTSIDE":
      return denied(`The working directory may not leave the root: ${message}.`);
    case "ENOENT":
      return validation(
        `There is no ${message.includes(" open ") ? `directory ${cwd}` : `program ${file}`}.`,
      );
    case "ENOTDIR":
      return validation(`${cwd} is not a directory; cwd must name one.`);
    case "EACCES":
      return validation(`${message.includes(" open ") ? cwd : file} may not be used: permission denied.`);
    case "E2BIG":
      return validation("The arguments are too long for the system; write them to a file and name it.");
    case "EAGAIN":
    case "EMFILE":
    case "ENOMEM":
      return unavailable(`The system cannot start another process now (${code}).`);
    default:
      return failure(`${file} could not be started: ${message}`);
  }
}

export function noHelper(why: string): ToolFailure {
  return unavailable(`The process that starts commands could not be started: ${why}.`);
}

export function helperLost(how: string): ToolFailure {
  return failure({
    kind: "unknown",
    message: `The process that starts commands ended (${how}) while this one ran, which was ended, too. What it did until then stays done; verify before you try again.`,
  });
}

export function outputLost(): ToolFailure {
  return unavailable("The output is gone with the process that kept it; start the command again.");
}
