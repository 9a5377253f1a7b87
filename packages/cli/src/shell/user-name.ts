import { userInfo } from "node:os";
import { ToolrigError } from "@toolrig/core";

/** Who sits at the terminal: who they say they are, else the user of the machine. */
export function userName(given: string | undefined): string {
  try {
    return given ?? userInfo().username;
  } catch {
    throw new ToolrigError("OPTION_INVALID", "This machine does not say who you are: give --as NAME.");
  }
}
