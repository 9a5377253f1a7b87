import { messageOf } from "@toolrig/core/kit";
import { flush, note } from "../terminal/output.ts";
import type { CommandTable } from "./command.ts";
import { dispatch } from "./dispatch.ts";

/** Runs the command that `args` names, and ends the process with its exit code. */
export async function runCommand(args: readonly string[], commands: CommandTable): Promise<never> {
  // A timer or promise that a tool left behind must not take the call, whose result is still to come, with it.
  process.on("uncaughtException", (error) => {
    note(`toolrig: an error outside any call was ignored: ${messageOf(error)}`, "warn");
  });
  process.on("warning", (warning: Error & { code?: string }) => {
    const internal =
      warning.name === "ExperimentalWarning" || warning.code === "MODULE_TYPELESS_PACKAGE_JSON";
    if (!internal) note(`${warning.name}: ${warning.message}`, "dim");
  });
  const code = await dispatch(args, commands);
  await flush();
  // A tool that ignores its deadline would otherwise keep the process alive.
  process.exit(code);
}
