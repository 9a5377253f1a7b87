import { messageOf } from "@toolrig/core/kit";
import { flush, note, surviveBrokenPipes } from "./terminal/output.ts";

surviveBrokenPipes();

// A timer or promise that a tool left behind must not take the call, whose result is still to come, with it.
process.on("uncaughtException", (error) => {
  note(`toolrig: an error outside any call was ignored: ${messageOf(error)}`, "warn");
});

// How Node reads the user's TypeScript, and what it thinks of its own SQLite, is not something the user has to know.
process.removeAllListeners("warning");
process.on("warning", (warning: Error & { code?: string }) => {
  const internal = warning.name === "ExperimentalWarning" || warning.code === "MODULE_TYPELESS_PACKAGE_JSON";
  if (!internal) note(`${warning.name}: ${warning.message}`, "dim");
});

// Only now, because Node warns of what they import as soon as it sees it.
const { commands } = await import("./commands/commands.ts");
const { dispatch } = await import("./shell/dispatch.ts");
const code = await dispatch(process.argv.slice(2), commands);
await flush();
// A tool that ignores its deadline would otherwise keep the process alive.
process.exit(code);
