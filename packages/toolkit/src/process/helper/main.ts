/**
 * The helper: a small process that starts commands for a large one. It has no rules of its own, and it ends with its parent,
 * together with all that it has started.
 */
import { writeFileSync } from "node:fs";
import { closeInherited } from "./inherited-files.ts";
import type { FromHelper, ToHelper } from "./messages.ts";
import { StartedProcess } from "./started-process.ts";

closeInherited();
takePrecedence();
const processes = new Map<string, StartedProcess>();

function send(message: FromHelper): void {
  if (message.type === "refused") processes.delete(message.id);
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function receive(message: ToHelper): void {
  switch (message.type) {
    case "spawn": {
      const { request } = message;
      try {
        processes.set(request.id, new StartedProcess(request, send));
      } catch (error) {
        const { code = "UNKNOWN", message } = error as NodeJS.ErrnoException;
        send({ type: "refused", id: request.id, code, message });
      }
      break;
    }
    case "stop":
      processes.get(message.id)?.stop(message.reason, message.graceMs);
      break;
    case "forget":
      processes.delete(message.id);
      break;
    case "read": {
      const output = processes.get(message.id)?.read(message.from);
      send({ type: "answer", ask: message.ask, ...(output !== undefined && { output }) });
      break;
    }
    case "input": {
      const problem = processes.get(message.id)?.input(message.text, message.end);
      send({ type: "answer", ask: message.ask, ...(problem !== undefined && { problem }) });
      break;
    }
  }
}

/** Where it may: what watches must not wait for what is watched. Commands have a session of their own, and no such right. */
function takePrecedence(): void {
  try {
    writeFileSync("/proc/self/autogroup", "-15");
  } catch {
    // Not as the administrator, or not on this system.
  }
}

process.on("message", (message) => receive(message as ToHelper));
// What it waits for keeps the process alive: it ends when the last command has.
process.once("disconnect", () => {
  for (const each of processes.values()) each.stop("stopped", 0);
});
// Signals of a terminal are meant for the parent, which decides what they mean.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
