import { readdirSync, readFileSync, statSync } from "node:fs";
import { declareOptions, type OptionTable, option } from "@toolrig/core/kit";

/** What one command may use. Infinity for no limit. */
export interface LimitOptions {
  /** Seconds of processor time of each process, but for background processes, which may run for days. Default 600. */
  cpuSeconds?: number;
  /** Open files of each process. Default 1,024. */
  openFiles?: number;
  /** Bytes of the largest file that it may write. Default 1,000,000,000. */
  fileSize?: number;
  /** Processes and threads at once. Default 512. */
  processes?: number;
  /** Bytes of address space of each process. Default Infinity: many runtimes reserve far more than they use. */
  memory?: number;
}

export type Limits = Required<LimitOptions>;

export const limitOptions = declareOptions("limits", {
  cpuSeconds: option.limit(1, { default: 600 }),
  openFiles: option.limit(16, { default: 1_024 }),
  fileSize: option.limit(0, { default: 1_000_000_000 }),
  processes: option.limit(1, { default: 512 }),
  memory: option.limit(1_000_000, { default: Number.POSITIVE_INFINITY }),
} satisfies OptionTable<LimitOptions>);

/** The arguments of `prlimit`. `others` is how many processes of the user count that are not the command's. */
export function prlimitArgs(limits: Limits, tag: string | undefined, others: number): string[] {
  const { cpuSeconds, openFiles, fileSize, processes, memory } = limits;
  const wanted: readonly (readonly [string, number])[] = [
    ["cpu", cpuSeconds],
    ["nofile", openFiles],
    ["fsize", fileSize],
    ["nproc", processes + others],
    ["as", memory],
    ["core", 0],
  ];
  const args = wanted.flatMap(([name, most]) =>
    most === Number.POSITIVE_INFINITY ? [] : [`--${name}=${Math.min(most, hardLimit(name))}`],
  );
  return tag === undefined ? args : [...args, `--msgqueue=${tag}`];
}

const LINES: Readonly<Record<string, string>> = {
  cpu: "Max cpu time",
  nofile: "Max open files",
  fsize: "Max file size",
  nproc: "Max processes",
  as: "Max address space",
  core: "Max core file size",
  msgqueue: "Max msgqueue size",
};

/** A limit can be lowered and not raised, so that one above what this process has would be refused. */
function hardLimit(name: string): number {
  const line = ownLimits().find((each) => each.startsWith(LINES[name] ?? name));
  const hard = line
    ?.slice((LINES[name] ?? "").length)
    .trim()
    .split(/\s+/)[1];
  return hard === undefined || hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
}

function ownLimits(): string[] {
  try {
    return readFileSync("/proc/self/limits", "utf8").split("\n");
  } catch {
    return [];
  }
}

/** A pair of limits that no other command has: what inherits it stems from this one. */
export function newTag(): string | undefined {
  const most = Math.min(hardLimit("msgqueue"), 819_200);
  if (!(most > 100_000)) return undefined;
  const random = (from: number, to: number) => Math.floor(from + Math.random() * (to - from));
  const hard = random(most / 2, most);
  return `${random(1, hard)}:${hard}`;
}

/** How many processes and threads the user of this process has: the system counts them all against the limit. */
export function countOwnTasks(): number {
  const uid = process.getuid?.();
  let tasks = 0;
  try {
    for (const name of readdirSync("/proc")) {
      if (/^\d+$/.test(name)) tasks += tasksOf(`/proc/${name}`, uid);
    }
  } catch {
    return 0;
  }
  return tasks;
}

function tasksOf(folder: string, uid: number | undefined): number {
  try {
    if (statSync(folder).uid !== uid) return 0;
    const [, threads] = /^Threads:\s+(\d+)/m.exec(readFileSync(`${folder}/status`, "utf8")) ?? [];
    return Number(threads ?? 1);
  } catch {
    return 0;
  }
}
