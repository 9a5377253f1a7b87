/** Calls while another process swaps folders and files for links to the outside. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { Executor } from "@toolrig/core";
import { grep } from "@toolrig/toolkit";
import type { ProofMode } from "../proof.ts";
import type { Attempt, Seen } from "./attempt.ts";
import { makeDatabase, type Scene } from "./scene.ts";

const COUNTS: Record<ProofMode, { calls: number; searches: number }> = {
  quick: { calls: 300, searches: 10 },
  full: { calls: 20_000, searches: 300 },
};

interface Race {
  title: string;
  /** What the attacker swaps, in the root. */
  swaps: "folder" | "file";
  calls: number;
  call(scene: Scene, path: string, at: number): ReturnType<Scene["call"]>;
}

export function raceAttempts(scene: Scene, mode: ProofMode): Attempt[] {
  const { calls, searches } = COUNTS[mode];
  const folder = (title: string, count: number, call: Race["call"]) =>
    race(scene, { title, swaps: "folder", calls: count, call });
  const file = (title: string, count: number, call: Race["call"]) =>
    race(scene, { title, swaps: "file", calls: count, call });
  const secret = { pattern: "[0-9a-f]{32}" };
  return [
    oracle(scene),
    control(scene, Math.min(calls, 5_000)),
    folder("read_file", calls, (on, path) => on.call("read_file", { path: `${path}/secret.txt` })),
    folder("write_file", calls, (on, path, at) =>
      on.call("write_file", { path: `${path}/secret.txt`, content: `inside ${at}\n` }),
    ),
    file("read_file", calls, (on, path) => on.call("read_file", { path })),
    file("write_file", calls, (on, path, at) => on.call("write_file", { path, content: `inside ${at}\n` })),
    folder("edit_file", searches * 5, (on, path) =>
      on.call("edit_file", { path: `${path}/secret.txt`, edits: [{ old: "inside", new: "inside, too" }] }),
    ),
    folder("write_file with new folders", searches * 5, (on, path, at) =>
      on.call("write_file", { path: `${path}/new${at}/x.txt`, content: "inside" }),
    ),
    folder("move_file", searches * 5, (on, path, at) => {
      writeFileSync(join(on.root, `moving${at}`), "inside");
      return on.call("move_file", { path: `moving${at}`, to: `${path}/moved${at}` });
    }),
    folder("delete_file", searches * 5, (on, path) =>
      on.call("delete_file", { path: `${path}/inner/secret.txt`, permanent: true }),
    ),
    folder("list_dir", searches * 5, (on, path) => on.call("list_dir", { path: `${path}/inner` })),
    folder("glob", searches, (on) => on.call("glob", { pattern: "swapped/**" })),
    folder("grep", searches, (on, path) => on.call("grep", { ...secret, files: `${path}/**` })),
    folder("grep without ripgrep", searches, (on, path) =>
      on.call("grep", { ...secret, files: `${path}/**` }, "ripgrep"),
    ),
    folder("query_sqlite", Math.ceil(searches / 5), (on, path) =>
      on.call("query_sqlite", { path: `${path}/secret.db`, sql: "SELECT * FROM note" }),
    ),
  ];
}

function race(scene: Scene, { title, swaps, calls, call }: Race): Attempt {
  return {
    title: `${title}: ${calls.toLocaleString("en-US")} calls while a ${swaps} and a link to outside are swapped`,
    expected: "inside only",
    async run() {
      const attacker = await attack(scene, swaps);
      let [done, refused] = [0, 0];
      let out: string | undefined;
      let other: string | undefined;
      for (let at = 0; at < calls && out === undefined; at++) {
        const result = await call(scene, attacker.path, at);
        if (result.failure === undefined) done += 1;
        else refused += 1;
        if (JSON.stringify(result).includes(scene.secret)) out = "the secret came out";
        if (at % 50 === 0) out ??= scene.escaped();
        if (result.failure !== undefined && !["denied", "validation"].includes(result.failure.kind))
          other ??= result.failure.message;
      }
      const swapped = await attacker.end();
      out ??= scene.escaped();
      const seen = `${done} inside, ${refused} refused, ${swapped} swaps`;
      return {
        seen: out ?? (other === undefined ? seen : `${seen}; ${other}`),
        ok: out === undefined && other === undefined,
      };
    },
  };
}

/**
 * A program in the place of ripgrep reads a folder while it is a link to the outside: a race that the attacker always wins. The
 * file inside matches every question, the one outside only those that are right about the secret.
 */
function oracle(scene: Scene): Attempt {
  return {
    title: "grep: 16 questions about the secret while ripgrep is shown the outside",
    expected: "as without ripgrep",
    async run(): Promise<Seen> {
      const program = join(scene.base, "rg");
      const swapped = join(scene.root, "oracle");
      mkdirSync(swapped);
      for (const name of ["secret.txt", "other.txt"])
        writeFileSync(join(swapped, name), [..."0123456789abcdef"].map((digit) => `${digit}\n`).join(""));
      writeFileSync(
        program,
        `#!/bin/sh
        while [ "$1" != -e ]; do shift; done
        mv oracle oracle.aside; ln -s ${scene.outside} oracle
        grep -lZ -e "$2" ./oracle/secret.txt ./oracle/inner/secret.txt
        rm oracle; mv oracle.aside oracle
        exit 0\n`,
        { mode: 0o755 },
      );
      const told: string[] = [];
      const tools = [grep({ roots: scene.root, ripgrep: program })];
      for (const digit of "0123456789abcdef") {
        const asked = { pattern: `^${digit}`, files: "oracle/**" };
        const [seen, without] = [
          await new Executor({ tools }).call({ id: "call", name: "grep", arguments: asked }),
          await scene.call("grep", asked, "ripgrep"),
        ].map(({ value }) => JSON.stringify({ ...(value as object), engine: "" }));
        if (seen !== without) told.push(digit);
      }
      rmSync(swapped, { recursive: true });
      const seen = told.length === 0 ? "nothing told" : `told apart: ${told.join(", ")}`;
      return { seen: scene.escaped() ?? seen, ok: told.length === 0 && scene.escaped() === undefined };
    },
  };
}

/** That the attacker is quick enough: a path that is checked and then opened by its name gives the secret away. */
function control(scene: Scene, calls: number): Attempt {
  return {
    title: `checking the path before opening it, for comparison: ${calls.toLocaleString("en-US")} reads`,
    expected: "the attacker wins at times",
    async run(): Promise<Seen> {
      const attacker = await attack(scene, "file");
      const path = join(scene.root, attacker.path);
      let out = 0;
      for (let at = 0; at < calls; at++) {
        const real = await realpath(path).catch(() => "");
        if (!real.startsWith(scene.root)) continue;
        const text = await readFile(path, "utf8").catch(() => "");
        if (text.includes(scene.secret)) out += 1;
      }
      const swapped = await attacker.end();
      return { seen: `${out} secrets read, ${swapped} swaps`, ok: true };
    },
  };
}

async function attack(
  { root, outside }: Scene,
  swaps: "folder" | "file",
): Promise<{ path: string; end(): Promise<number> }> {
  const path = swaps === "folder" ? "swapped" : "swapped.txt";
  for (const left of [path, `${path}.aside`]) rmSync(join(root, left), { recursive: true, force: true });
  if (swaps === "folder") {
    mkdirSync(join(root, path, "inner"), { recursive: true });
    for (const file of ["secret.txt", "inner/secret.txt"]) writeFileSync(join(root, path, file), "inside\n");
    makeDatabase(join(root, path, "secret.db"), "inside");
  } else writeFileSync(join(root, path), "inside\n");
  const target = swaps === "folder" ? outside : join(outside, "secret.txt");
  const child = fork(join(import.meta.dirname, "swapper.ts"), [swaps, join(root, path), target]);
  await once(child, "message");
  return { path, end: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<number> {
  const counted = once(child, "message");
  const closed = once(child, "exit");
  child.send("end");
  const [swaps] = (await counted) as [number];
  await closed;
  return swaps;
}
