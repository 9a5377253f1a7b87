import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import type { Versions } from "./versions.ts";

/** What a reader has to know to judge a figure. */
export interface Circumstances {
  /** Such as 2026-11-16. */
  date: string;
  machine: string;
  cores: number;
  node: string;
  versions: Versions;
  /** Short, with a plus where the work tree had changes. Empty outside a repository. */
  commit: string;
  rounds: number;
  /** The load average of one minute: least and most while it was measured. */
  load: readonly [number, number];
}

const EVERY_MS = 5_000;

/** Watches the machine from now on; the function it answers with says under which circumstances something was measured. */
export function observe(): (rounds: number, versions: Versions) => Circumstances {
  const loads = [loadavg()[0] ?? 0];
  const timer = setInterval(() => loads.push(loadavg()[0] ?? 0), EVERY_MS).unref();
  return (rounds, versions) => {
    clearInterval(timer);
    loads.push(loadavg()[0] ?? 0);
    return {
      date: new Date().toISOString().slice(0, 10),
      machine: machine(),
      cores: availableParallelism(),
      node: process.versions.node,
      versions,
      commit: commit(),
      rounds,
      load: [Math.min(...loads), Math.max(...loads)],
    };
  };
}

/** More wants to run than there are cores, beside the one process that is measured: figures are worth little. */
export function isBusy({ load: [, most], cores }: Circumstances): boolean {
  return most > cores + 1;
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown CPU";
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} × ${model}, ${memory} GB, ${type()} ${release().split("-")[0]} ${process.arch}`;
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    const changed =
      git("status", "--porcelain", "--untracked-files=no", "--", ":/packages", ":/bench") !== "";
    return `${git("rev-parse", "--short=8", "HEAD")}${changed ? "+" : ""}`;
  } catch {
    return "";
  }
}
