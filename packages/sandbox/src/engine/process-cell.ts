import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { programBeside } from "@toolrig/core/kit";
import { Cell } from "./cell.ts";
import type { FromWorker } from "./messages.ts";
import { type Protection, wrapped } from "./protection.ts";
import { type Wasm, wasmFile } from "./wasm.ts";

/** Of a Node process around its largest engine. It counts 1.2 GB when it has done nothing: ranges for code that it never fills. */
const NODE_BYTES = 2 * 1024 * 1024 * 1024;

/**
 * A cell that is a process of its own: it may read the engine's files and nothing else, and has no environment. What else the
 * machine offers is around it.
 */
export function processCell({ pages, mostBytes }: Wasm, protections: readonly Protection[]): Cell {
  const program = fileURLToPath(programBeside(import.meta.url, "worker/process"));
  const engine = fileURLToPath(new URL(".", import.meta.url));
  const quickjs = fileURLToPath(new URL(".", wasmFile()));
  const node = [
    process.execPath,
    ...["--permission", "--allow-worker", `--allow-fs-read=${engine}`, `--allow-fs-read=${quickjs}`],
    ...["--no-warnings", program, String(pages)],
  ];
  const folders = [fileURLToPath(new URL("../..", import.meta.url)), quickjs];
  const [command = "", ...args] = wrapped(node, protections, { folders, bytes: mostBytes + NODE_BYTES });
  return new Cell((events) => {
    const child = spawn(command, args, {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
    });
    child.on("message", (message) => events.message(message as FromWorker));
    child.on("error", (error) => events.gone(`The worker could not be started: ${error.message}`));
    child.on("exit", (code, signal) => events.gone(`The worker ended with ${code ?? signal}.`));
    return {
      // What cannot be sent any more is told by its exit.
      send: (request) => child.send(request, () => {}),
      kill: () => child.kill("SIGKILL"),
      hold(held) {
        const channel = child.channel as { ref(): void; unref(): void } | null | undefined;
        child[held ? "ref" : "unref"]();
        channel?.[held ? "ref" : "unref"]();
      },
    };
  });
}
