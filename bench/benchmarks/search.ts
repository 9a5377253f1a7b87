import { execFile } from "node:child_process";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Executor } from "@toolrig/core";
import { glob, grep, readFile } from "@toolrig/toolkit";
import type { Benchmark, Measured, Row } from "../benchmark.ts";
import { median } from "../harness.ts";

const TREE = join(tmpdir(), "toolrig-bench-tree");
const FOLDERS = 2_000;
const FILES = 50;
/** One file in so many has what is looked for. */
const RARE = 1_000;
const FOUND = (FOLDERS * FILES) / RARE;
const TURNS = 7;
const GIGABYTE = 1_000_000_000;

const run = promisify(execFile);
const onPath = (...names: string[]) =>
  names
    .flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
const rg = onPath("rg");
const fd = onPath("fd", "fdfind");

/** 100,000 files of some 300 bytes, made once and kept. */
function tree(): string {
  if (existsSync(join(TREE, "complete"))) return join(TREE, "files");
  rmSync(TREE, { recursive: true, force: true });
  for (let folder = 0, at = 0; folder < FOLDERS; folder++) {
    const path = join(TREE, "files", `package${folder % 40}`, `module${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES; file++) {
      at += 1;
      const rare = at % RARE === 0 ? "// TODO: look here\n" : "";
      const text = `export const value${at} = ${at};\n${"// nothing to see in this line\n".repeat(8)}${rare}`;
      writeFileSync(join(path, `file${file}.${file % 3 === 0 ? "md" : "ts"}`), text);
    }
  }
  writeFileSync(join(TREE, "complete"), "");
  return join(TREE, "files");
}

/**
 * Time of each subject relative to the first. By the clock, because most of the work is done by other processes; subjects
 * take turns, and a ratio is taken inside one turn.
 */
async function race(
  subjects: Readonly<Record<string, () => Promise<number>>>,
  found: number,
): Promise<Measured> {
  const names = Object.keys(subjects);
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let turn = -1; turn < TURNS; turn++) {
    for (const name of names) {
      const started = performance.now();
      const count = await subjects[name]!();
      if (count !== found) throw new Error(`${name} found ${count}, not ${found}.`);
      if (turn >= 0) times.get(name)!.push(performance.now() - started);
    }
  }
  const base = times.get(names[0]!)!;
  return Object.fromEntries(
    names.map((name) => [name, median(times.get(name)!.map((time, turn) => time / base[turn]!))]),
  );
}

async function count(command: string, args: readonly string[], cwd: string): Promise<number> {
  const { stdout } = await run(command, args, { cwd, maxBuffer: 1 << 28 });
  return stdout.split("\n").length - 1;
}

async function measureGrep(): Promise<Measured> {
  const root = tree();
  const call = (executor: Executor) => async () => {
    const asked = { id: "1", name: "grep", arguments: { pattern: "TODO: \\w+", limit: 1_000 } };
    return ((await executor.call(asked)).value as { lines: unknown[] }).lines.length;
  };
  const builtin = call(new Executor({ tools: [grep({ roots: root, ripgrep: false })] }));
  if (rg === undefined) return race({ builtin }, FOUND);
  const args = ["--line-number", "--hidden", "--no-ignore", "TODO: \\w+", "."];
  return race(
    {
      rg: () => count(rg, args, root),
      tool: call(new Executor({ tools: [grep({ roots: root, ripgrep: rg })] })),
      builtin,
    },
    FOUND,
  );
}

async function measureGlob(): Promise<Measured> {
  const root = tree();
  const executor = new Executor({ tools: [glob({ roots: root })] });
  return race(
    {
      find: () => count("find", [".", "-name", "file7.ts"], root),
      tool: async () => {
        const asked = { id: "1", name: "glob", arguments: { pattern: "**/file7.ts", limit: 10_000 } };
        return ((await executor.call(asked)).value as { paths: unknown[] }).paths.length;
      },
      ...(fd !== undefined && {
        fd: () => count(fd, ["--hidden", "--no-ignore", "--glob", "file7.ts", "."], root),
      }),
    },
    FOLDERS,
  );
}

/** A file with nothing but its end on the disk: what is read of it is what counts. */
async function measureTail(): Promise<Measured> {
  const root = tree();
  const path = join(TREE, "huge.log");
  const file = openSync(path, "w");
  try {
    ftruncateSync(file, GIGABYTE);
    writeSync(file, `\n${"a line of the log\n".repeat(200)}`, GIGABYTE);
    const executor = new Executor({ tools: [readFile({ roots: join(root, "..") })] });
    const asked = { path: "huge.log", line: -100, encoding: "utf-8" };
    const { value, details } = await executor.call({ id: "1", name: "read_file", arguments: asked });
    if ((value as { text: string }).text !== "a line of the log\n".repeat(100))
      throw new Error("Not the end.");
    return { bytes: (details as { bytesRead: number }).bytesRead };
  } finally {
    closeSync(file);
    rmSync(path);
  }
}

const WITHIN = { atMost: 1.3 };

const grepRows: Row[] =
  rg === undefined
    ? []
    : [
        { label: "grep, with ripgrep", value: (round) => round("grep").tool!, goal: WITHIN },
        { label: "grep, without", value: (round) => round("grep").builtin! },
      ];

const globRows: Row[] = [
  { label: "glob to find", value: (round) => round("glob").tool!, goal: WITHIN },
  ...(fd === undefined
    ? []
    : [
        {
          label: "glob to fd",
          value: (round) => round("glob").tool! / round("glob").fd!,
          goal: WITHIN,
        } satisfies Row,
      ]),
];

export const benchmark: Benchmark = {
  rounds: 3,
  cases: { grep: measureGrep, glob: measureGlob, tail: measureTail },
  tables: [
    {
      title:
        rg === undefined
          ? "100,000 files: ripgrep is not installed here, so there is nothing to compare grep with"
          : "100,000 files: Toolrig to ripgrep",
      rows: grepRows,
    },
    {
      title: `100,000 files: Toolrig to find${fd === undefined ? " (fd is not installed here)" : " and fd"}`,
      rows: globRows,
    },
    {
      title: "The last 100 lines of a file of 1 GB",
      rows: [
        {
          label: "bytes read",
          value: (round) => round("tail").bytes!,
          goal: { atMost: 200_000 },
          unit: " B",
        },
      ],
    },
  ],
};
