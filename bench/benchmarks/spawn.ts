import { spawn } from "node:child_process";
import { Executor } from "@toolrig/core";
import { Processes, runCommand } from "@toolrig/toolkit";
import type { Benchmark, Measured, Table } from "../benchmark.ts";
import { median } from "../harness.ts";

const GIGABYTE = 2 ** 30;
const TIMES = 15;
const COMMAND = "/bin/true";

/** Memory that has been written to: what was only reserved costs a fork nothing. */
function hold(bytes: number): Buffer[] {
  const piece = 2 ** 26;
  return Array.from({ length: bytes / piece }, () => Buffer.alloc(piece, 1));
}

/** The longest time, in ms, in which the event loop did not turn while something was done. */
async function blockedBy(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let over = false;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  over = true;
  turn();
  return longest;
}

function directly(): Promise<unknown> {
  return new Promise((resolve) =>
    spawn(COMMAND, { stdio: ["ignore", "pipe", "pipe"] }).once("close", resolve),
  );
}

/** Both in one process, by turns: whatever slows the machine down for a while slows both. */
async function measure(): Promise<Measured> {
  const held = hold(GIGABYTE);
  await using processes = new Processes({ root: "/" });
  const executor = new Executor({ tools: [runCommand(processes)] });
  let calls = 0;
  const throughHelper = async () => {
    const arguments_ = { command: COMMAND };
    const { isError } = await executor.call({
      id: `call_${++calls}`,
      name: "run_command",
      arguments: arguments_,
    });
    if (isError) throw new Error("The command failed.");
  };
  const first = await blockedBy(throughHelper);
  await throughHelper();
  const direct: number[] = [];
  const helped: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    direct.push(await blockedBy(directly));
    helped.push(await blockedBy(throughHelper));
  }
  if (held.length === 0) throw new Error("Nothing was held.");
  const ratios = direct.map((each, index) => each / (helped[index] ?? each));
  return { first, direct: median(direct), helped: median(helped), ratio: median(ratios) };
}

const tables: readonly Table[] = [
  {
    title: "event loop blocked by a command, of a process that holds 1 GB",
    rows: [
      { label: "started directly", value: (round) => round("spawn").direct!, unit: " ms" },
      { label: "run_command, through the helper", value: (round) => round("spawn").helped!, unit: " ms" },
      {
        label: "run_command, the first (starts the helper)",
        value: (round) => round("spawn").first!,
        unit: " ms",
      },
      {
        label: "direct, relative to run_command",
        value: (round) => round("spawn").ratio!,
        goal: { atLeast: 5 },
      },
    ],
  },
];

export const benchmark: Benchmark = { rounds: 5, cases: { spawn: measure }, tables };
