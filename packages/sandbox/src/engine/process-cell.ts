import { spawn } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Cell } from "./cell.ts";
import type { FromWorker } from "./messages.ts";
import { type Protection, wrapped } from "./protection.ts";
import { WASM_FILE, type Wasm } from "./wasm.ts";

const PROGRAM = fileURLToPath(new URL(`./worker/process${extname(import.meta.url)}`, import.meta.url));
const ENGINE = fileURLToPath(new URL(".", import.meta.url));
const QUICKJS = fileURLToPath(new URL(".", WASM_FILE));

/** Of a Node process around its largest engine. It counts 1.2 GB when it has done nothing: ranges for code that it never fills. */
const NODE_BYTES = 2 * 1024 * 1024 * 1024;

/**
 * A cell that is a process of its own: it may read the engine's files and nothing else, and has no environment. What else the
 * machine offers is around it.
 */
export function processCell({ pages, mostBytes }: Wasm, protections: readonly Protection[]): Cell {
  const node = [
    process.execPath,
    ...["--permission", "--allow-worker", `--allow-fs-read=${ENGINE}`, `--allow-fs-read=${QUICKJS}`],
    ...["--no-warnings", PROGRAM, String(pages)],
  ];
  const folders = [fileURLToPath(new URL("../..", import.meta.url)), QUICKJS];
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
