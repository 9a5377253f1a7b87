import { execFileSync } from "node:child_process";

export interface ListedProcess {
  pid: number;
  parent: number;
  args: string;
}

export function processList(): ListedProcess[] {
  const list = execFileSync("ps", ["-ww", "-eo", "pid=,ppid=,args="], { encoding: "utf8" });
  return Array.from(list.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm), ([, pid, parent, args = ""]) => ({
    pid: Number(pid),
    parent: Number(parent),
    args,
  }));
}

/** How many processes have this in their command line. */
export function running(text: string): number {
  return processList().filter(({ args }) => args.includes(text)).length;
}

/** The helper that starts commands for a process. */
export function helperOf(parent: number | undefined = process.pid): number {
  const found = processList().find((each) => each.parent === parent && each.args.includes("helper/main"));
  if (found === undefined) throw new Error(`Process ${parent} has no helper.`);
  return found.pid;
}
