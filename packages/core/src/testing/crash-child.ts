/**
 * Runs a scenario in a process of its own, on behalf of `crash`. Arguments: the scenario's module, the name of its
 * export, the folder it keeps its data in, the place at which to die (0: nowhere), and what it was given as JSON.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CrashScenario } from "./crash.ts";

const [module, name, folder, dieAt, given] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];

let passed = 0;

function point(stage: string): void {
  passed += 1;
  appendFileSync(join(folder, ".stages"), `${JSON.stringify(stage)}\n`);
  if (passed !== Number(dieAt)) return;
  process.kill(process.pid, "SIGKILL");
  // The signal ends the process before this does.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const exports = (await import(pathToFileURL(module).href)) as Record<string, unknown>;
const scenario = exports[name];
if (typeof scenario !== "function") throw new Error(`${module} exports no function called ${name}.`);
const answer: unknown = await (scenario as CrashScenario)({ folder, point, given: JSON.parse(given) });
writeFileSync(join(folder, ".answer"), JSON.stringify(answer ?? null));
