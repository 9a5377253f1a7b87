import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { serverConfig } from "@toolrig/nats";
import { readSeedFile } from "../../config/seed-file.ts";
import { note, print, printJson } from "../../terminal/output.ts";
import { type PlanFlags, planOf } from "./plan-flags.ts";

/** The user that sets up the fleet. */
const OPERATOR = "admin";
const seedFile = (folder: string, user: string) => join(folder, `${user}.nk`);

/**
 * Writes a server's configuration: into a folder, with a file for everybody's seed, or as JSON. Seeds that are in the folder stay, so that
 * somebody can be added without new keys for the others.
 */
export function writeConfig(flags: PlanFlags & { out?: string; json?: boolean }): number {
  const { out, json } = flags;
  if (out === undefined && json !== true)
    throw new ToolrigError(
      "OPTION_INVALID",
      "The keys that are made must be kept: give --out FOLDER, or --json to get everything as one object.",
    );
  const plan = planOf(flags);
  const made = serverConfig(out === undefined ? plan : { ...plan, seeds: seedsIn(out, plan) });
  if (json === true) printJson(made);
  if (out === undefined) return 0;
  mkdirSync(out, { recursive: true, mode: 0o700 });
  const written = [
    ...Object.entries(made.seeds).flatMap(([user, seed]) => {
      const path = seedFile(out, user);
      if (existsSync(path)) return [];
      writeAnew(path, `${seed}\n`);
      return [path];
    }),
    replace(join(out, "callers.json"), `${JSON.stringify(made.callers, undefined, 2)}\n`),
    replace(join(out, "nats-server.conf"), made.text),
  ];
  if (json !== true) for (const path of written) print(path);
  note(
    `Start the server: nats-server -c ${join(out, "nats-server.conf")}. Give each seed (.nk) to its user alone, and callers.json to workers.`,
    "dim",
  );
  return 0;
}

function seedsIn(folder: string, { workers, callers }: ReturnType<typeof planOf>): Record<string, string> {
  const users = [OPERATOR, ...Object.keys(workers), ...Object.keys(callers)];
  const kept = users
    // A name with a slash is none, which the plan's check says.
    .filter((user) => !/[/\\]/.test(user) && existsSync(seedFile(folder, user)))
    .map((user) => [user, readSeedFile(seedFile(folder, user))]);
  return Object.fromEntries(kept);
}

/** A file that was not there, for its owner alone. */
function writeAnew(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** Whoever reads the file meanwhile finds the old one or the new one, in full. */
function replace(path: string, text: string): string {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  writeAnew(draft, text);
  renameSync(draft, path);
  return path;
}
