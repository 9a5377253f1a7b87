import { readdirSync, readFileSync } from "node:fs";
import { argumentsOf, comesToHold, type Stage, withArgument } from "../stage.ts";
import { type ProcessAttempt, unless } from "./attempt.ts";

/** A script that leaves something behind, and must not. `sleep` stands for what stays. */
function stays(name: string, script: (sleep: string) => string, seconds = 20): ProcessAttempt {
  return {
    name,
    expected: "ended with the command",
    miss: async (stage) => {
      const token = stage.token();
      const { isError, failure } = await stage.bash(script(`sleep ${token}`), seconds);
      const left = withArgument(token).length;
      if (left > 0) return `${left} still run`;
      return seconds < 20 ? unless(isError, "it ended by itself") : unless(!isError, failure?.message ?? "");
    },
  };
}

async function cancelled(stage: Stage): Promise<string | undefined> {
  const token = stage.token();
  const controller = new AbortController();
  const script = `trap '' TERM; (setsid sleep ${token} &); sleep ${token}`;
  const pending = stage.call("bash", { script }, { signal: controller.signal });
  if (!(await comesToHold(() => withArgument(token).length >= 2))) return "it did not start";
  controller.abort();
  const { failure } = await pending;
  if (failure?.code !== "TOOL_CANCELLED") return failure?.message ?? "it was not cancelled";
  return unless(await comesToHold(() => withArgument(token).length === 0), "it still runs");
}

async function stopped(stage: Stage): Promise<string | undefined> {
  const token = stage.token();
  const args = ["-c", `trap '' TERM HUP; (setsid sleep ${token} &); sleep ${token}`];
  const { value } = await stage.call("process_start", { command: "bash", args });
  if (!(await comesToHold(() => withArgument(token).length >= 2))) return "it did not start";
  await stage.call("process_stop", value);
  return unless(withArgument(token).length === 0, "it still runs");
}

async function closed(stage: Stage): Promise<string | undefined> {
  const other = await (stage.constructor as typeof Stage).open({
    sandbox: stage.isolation.level === "namespaces" ? "auto" : "off",
  });
  const token = stage.token();
  await other.call("process_start", {
    command: "bash",
    args: ["-c", `(setsid sleep ${token} &); sleep ${token}`],
  });
  if (!(await comesToHold(() => withArgument(token).length >= 2))) return "it did not start";
  await other.close();
  return unless(withArgument(token).length === 0, "it still runs");
}

/** The helper of this process. */
function helper(): number | undefined {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isChild(Number(name)));
  return children
    .map(Number)
    .find((pid) => argumentsOf(pid).some((argument) => argument.includes("helper/main")));
}

function isChild(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === process.pid;
  } catch {
    return false;
  }
}

async function helperKilled(stage: Stage): Promise<string | undefined> {
  const token = stage.token();
  const pending = stage.bash(`(setsid sleep ${token} &); sleep ${token}`);
  if (!(await comesToHold(() => withArgument(token).length >= 2))) return "it did not start";
  const pid = helper();
  if (pid === undefined) return "there is no helper";
  process.kill(pid, "SIGKILL");
  const { failure } = await pending;
  if (failure?.kind !== "unknown") return `its command answered ${failure?.message}`;
  if (!(await comesToHold(() => withArgument(token).length === 0))) return "its command still runs";
  const { command } = await stage.bash("echo again");
  return unless(command?.stdout === "again\n", "the next command did not run");
}

async function parentKilled(stage: Stage): Promise<string | undefined> {
  const token = stage.token();
  const { isError } = await stage.bash(`(setsid sleep ${token} &); kill -9 $PPID; sleep 0.5`);
  const gone = await comesToHold(() => withArgument(token).length === 0);
  const { command } = await stage.bash("echo again");
  return unless(
    gone && command?.stdout === "again\n",
    `it ${isError ? "failed" : "succeeded"}, and something stays`,
  );
}

async function parentStopped(stage: Stage): Promise<string | undefined> {
  const { isError } = await stage.bash("kill -STOP $PPID; sleep 1000000", 1);
  const { command } = await stage.bash("echo again");
  return unless(isError && command?.stdout === "again\n", `then ${command?.stdout}`);
}

async function heldOutput(stage: Stage): Promise<string | undefined> {
  const token = stage.token();
  const { command } = await stage.bash(`(setsid sleep ${token} &) ; echo done`);
  return unless(command.stdout === "done\n", `it printed ${command.stdout}`);
}

export const lastingAttempts: readonly ProcessAttempt[] = [
  stays("a process in the background", (sleep) => `${sleep} &`),
  stays("nohup", (sleep) => `nohup ${sleep} >/dev/null 2>&1 &`),
  stays("setsid", (sleep) => `(setsid ${sleep} >/dev/null 2>&1 &)`),
  stays("a double fork", (sleep) => `( ( (${sleep}) & ) & ) >/dev/null 2>&1`),
  stays("setsid, a double fork and no stdio", (sleep) => `( (setsid setsid ${sleep} <&- >&- 2>&- &) & )`),
  {
    // Where there are no limits, there is no second mark.
    ...stays(
      "setsid with an empty environment",
      (sleep) => `(env -i setsid ${sleep} >/dev/null 2>&1 &) ; sleep 0.2`,
    ),
    needs: "limits",
  },
  stays("a job of its own group", (sleep) => `set -m; ${sleep} & disown -a`),
  stays(
    "another name",
    (sleep) => `(setsid bash -c 'exec -a innocent ${sleep}' >/dev/null 2>&1 &) ; sleep 0.1`,
  ),
  stays("ignored signals", (sleep) => `trap '' TERM HUP INT QUIT USR1; ${sleep}`, 0.5),
  stays(
    "ignored signals, of a child in its own session",
    (sleep) => `trap '' TERM HUP; setsid ${sleep} & ${sleep}`,
    0.5,
  ),
  stays("a stopped process", (sleep) => `${sleep} & kill -STOP $!; ${sleep}`, 0.5),
  stays("no stdio, and no end", (sleep) => `exec <&- >&- 2>&-; ${sleep}`, 0.5),
  stays(
    "starting anew when asked to end",
    (sleep) => `trap 'setsid ${sleep} & ${sleep}' TERM; ${sleep}`,
    0.5,
  ),
  { name: "output that a grandchild holds open", expected: "answered at once", miss: heldOutput },
  { name: "a call that is cancelled", expected: "all of it ends", miss: cancelled },
  { name: "a background process that is stopped", expected: "all of it ends", miss: stopped },
  { name: "background processes of what is closed", expected: "all of them end", miss: closed },
  {
    name: "a helper that is killed",
    expected: "a failure, nothing left, and a new helper",
    miss: helperKilled,
  },
  {
    name: "a command that kills its parent",
    expected: "nothing left, and the next one runs",
    miss: parentKilled,
  },
  {
    name: "a command that stops its parent",
    expected: "a failure, and the next one runs",
    full: true,
    miss: parentStopped,
  },
];
