import { note } from "./output.ts";

/** Aborts at the first Ctrl-C or SIGTERM; what is under way then ends properly. A second one ends the process. */
export function cancelOnSignal(
  message = "Cancelling; again to quit at once.",
  signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM"],
): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    process.once(signal, () => {
      if (message !== "") note(message, "warn");
      controller.abort();
    });
  }
  return controller.signal;
}
