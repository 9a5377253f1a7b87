import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../stage.ts";
import { type ProcessAttempt, unless } from "./attempt.ts";

const MEGABYTE = 1_000_000;

function floods(name: string, script: string): ProcessAttempt {
  return {
    name: `a flood of ${name}`,
    expected: "cut, and ended in time",
    miss: async (stage) => {
      const before = process.memoryUsage().rss;
      const { command } = await stage.bash(script, 1);
      const grown = (process.memoryUsage().rss - before) / MEGABYTE;
      const size = command.stdout.length + command.stderr.length;
      return unless(size < 250_000 && grown < 150, `${size} characters, ${Math.round(grown)} MB`);
    },
  };
}

async function floodInBackground(stage: Stage): Promise<string | undefined> {
  const { value } = await stage.call("process_start", { command: "yes" });
  const first = await stage.call("process_output", { ...(value as object), wait_seconds: 5 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const second = await stage.call("process_output", value);
  await stage.call("process_stop", value);
  const { stdout, dropped } = second.value as { stdout: string; dropped: number };
  return unless(
    first.text !== "" && stdout.length < 110_000 && dropped > 0,
    `${stdout.length}, ${dropped} dropped`,
  );
}

function bombs(name: string, script: string): ProcessAttempt {
  return {
    name: `a fork bomb${name}`,
    expected: "held to its limit, and ended",
    needs: "processes",
    miss: async (stage) => {
      await stage.bash(script, 2);
      const { command } = await stage.bash("echo alive");
      return unless(command?.stdout === "alive\n", `then ${command?.stdout}`);
    },
  };
}

async function largeFile(stage: Stage): Promise<string | undefined> {
  await stage.bash("head -c 50000000 /dev/zero > large");
  const { size } = statSync(join(stage.root, "large"));
  rmSync(join(stage.root, "large"));
  return unless(size <= MEGABYTE, `${size} bytes`);
}

async function manyFiles(stage: Stage): Promise<string | undefined> {
  const script = 'for i in $(seq 3 200); do eval "exec $i</dev/null" || exit 9; done; echo opened';
  const { command } = await stage.bash(script);
  return unless(!command.stdout.includes("opened"), "200 files were opened");
}

async function burner(stage: Stage): Promise<string | undefined> {
  const { command } = await stage.bash("while :; do :; done", 60);
  return unless(command.stopped === undefined && (command.exitCode ?? 0) > 128, JSON.stringify(command));
}

async function raisedLimit(stage: Stage): Promise<string | undefined> {
  const { command } = await stage.bash(
    "ulimit -f unlimited; ulimit -n 100000; head -c 5000000 /dev/zero > raised",
  );
  const { size } = statSync(join(stage.root, "raised"));
  rmSync(join(stage.root, "raised"));
  const mayRaise = process.getuid?.() === 0 && stage.isolation.level !== "namespaces";
  return unless(mayRaise || size <= MEGABYTE, `${size} bytes, ${command.stderr}`);
}

async function scratchBomb(stage: Stage): Promise<string | undefined> {
  const script =
    "for i in $(seq 400); do head -c 1000000 /dev/zero > /tmp/$i || break; done; du -sm /tmp | cut -f1";
  const { command } = await stage.bash(script, 60);
  return unless(Number(command.stdout) <= 260, `${command.stdout} MB`);
}

async function manyBackground(stage: Stage): Promise<string | undefined> {
  const started = await Promise.all(
    Array.from({ length: 40 }, () => stage.call("process_start", { command: "sleep", args: ["1000"] })),
  );
  const ids = started.flatMap(({ value }) => (value === undefined ? [] : [value]));
  await Promise.all(ids.map((value) => stage.call("process_stop", value)));
  return unless(ids.length <= 20, `${ids.length} run at once`);
}

export const resourceAttempts: readonly ProcessAttempt[] = [
  floods("output", "yes"),
  { ...floods("errors", "yes >&2"), full: true },
  { ...floods("bytes without lines", "cat /dev/zero"), full: true },
  { name: "a flood in the background", expected: "cut, and counted", miss: floodInBackground },
  bombs("", ":(){ :|:& };:; sleep 10"),
  bombs(" that is left behind", ":(){ :|:& };:"),
  bombs(
    " in sessions of their own",
    'f(){ (setsid bash -c "$(declare -f f); f" &); setsid bash -c "$(declare -f f); f"; }; f',
  ),
  { name: "a file of 50 MB", expected: "held to 1 MB", needs: "limits", miss: largeFile },
  { name: "200 open files", expected: "held to 64", needs: "limits", miss: manyFiles },
  { name: "a processor for a minute", expected: "ended after 2 s of it", needs: "limits", miss: burner },
  { name: "limits that it raises itself", expected: "not raised", needs: "limits", miss: raisedLimit },
  {
    name: "400 MB of scratch files",
    expected: "held to 256 MB",
    needs: "namespaces",
    full: true,
    miss: scratchBomb,
  },
  { name: "40 background processes", expected: "20 run", miss: manyBackground },
];
