import { EventStream, type ExecutorOptions } from "@toolrig/core";
import { defined, parseDuration } from "@toolrig/core/kit";
import { NatsWorker } from "@toolrig/nats";
import { fleetAt, NATS_OPTIONS } from "../config/fleet-at.ts";
import { loadSettings } from "../config/load-settings.ts";
import { partsOf } from "../config/open-rig.ts";
import { command } from "../shell/command.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { counted } from "../terminal/counted.ts";
import { eventPrinter } from "../terminal/event-printer.ts";
import { note, printJson } from "../terminal/output.ts";

export const worker = command({
  name: "worker",
  positionals: [],
  options: {
    ...NATS_OPTIONS,
    grace: {
      type: "string",
      value: "DURATION",
      describe: "how long calls may finish when it stops (default: 30s)",
    },
  },
  details: [
    "Takes calls until SIGTERM or Ctrl-C; then it takes nothing new, finishes what runs, hands back the rest and exits 0.",
    "A second signal quits at once. The config's worker, fleet, callers and approvalKeys apply. With --json, its counters at the end.",
  ].join("\n"),
  examples: ["toolrig worker --nats nats://127.0.0.1:4222", "toolrig worker --seed fleet/search-worker.nk"],

  async run({ values }) {
    const graceMs = parseDuration(values.grace ?? "30s", "--grace");
    const settings = await loadSettings(values.config);
    const server = fleetAt(values, settings);
    const parts = partsOf(settings);
    const { allow, timeout } = settings.rig;
    // The fleet's ledger decides, unless the config names one of its own, and what its calls wait for is kept there.
    const { ledger: _, allow: __, timeout: ___, waits: ____, ...executor } = parts.executorOptions;
    const { approvalKeys, callers, worker: config = {} } = settings;
    const running = new NatsWorker({
      ...executor,
      ...server,
      ...defined({ ledger: settings.rig.ledger, approvalKeys, callers }),
      config: {
        ...(allow !== undefined && { allowed_tools: [...allow] }),
        ...defined({ timeout }),
        ...config,
      },
      ...(values.verbose === true && { events: followed(executor.events) }),
    });
    const stopped = cancelOnSignal("Stopping: calls under way are finished; again to quit at once.");
    await running.start();
    note(
      `${running.id} takes calls of ${
        parts.tools
          .tools()
          .map((tool) => tool.name)
          .join(", ") || "no tool"
      }.`,
    );
    await new Promise<void>((resolve) => {
      if (stopped.aborted) resolve();
      else stopped.addEventListener("abort", () => resolve(), { once: true });
    });
    await running.stop(graceMs);
    const { ran, errors } = running.dataFlow();
    if (values.json === true) printJson(running.dataFlow());
    else note(`${running.id} has stopped after ${counted(ran, "call")}, ${counted(errors, "error")}.`);
    await parts.close();
    return 0;
  },
});

/** Shows what happens to the calls, besides whatever the config does with the events. */
function followed(events: ExecutorOptions["events"]): NonNullable<ExecutorOptions["events"]> {
  const show = eventPrinter();
  if (events instanceof EventStream) {
    events.on(show);
    return events;
  }
  return (event) => {
    show(event);
    if (typeof events === "function") events(event);
    else events?.append(event);
  };
}
