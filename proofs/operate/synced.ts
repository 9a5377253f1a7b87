import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openStore } from "@toolrig/store";
import { expectThat } from "./expect-that.ts";

const PAYER = fileURLToPath(new URL("../../packages/store/test/payer-main.ts", import.meta.url));

/** It stops a process at each sync. Where it is not installed, or may not be used, there are no such images. */
export function hasStrace(): boolean {
  return spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
}

/**
 * The power fails and the disk has only what was synced: a process that pays is stopped at each sync, and the file that was synced is
 * copied. Whatever was answered by then must be in the copies.
 */
export async function syncedOnly(path: string, payments: number): Promise<string> {
  const image = join(dirname(path), "image");
  mkdirSync(image);
  const log = `${path}.syncs`;
  writeFileSync(log, "");
  const answered: string[] = [];
  const child = spawn(
    "strace",
    [
      ...["-f", "-qq", "-y", "-o", log, "-e", "trace=fsync,fdatasync", "-e", "signal=none"],
      ...["-e", "inject=fsync,fdatasync:signal=SIGSTOP"],
      ...[process.execPath, "--conditions=@toolrig/source", "--no-warnings", PAYER, path],
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = new Promise((resolve) => child.once("close", resolve));
  let images = 0;
  let isOver = false;
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (line === "paid") answered.push(`exec_${answered.length}`);
    if (line === "closed") {
      isOver = true;
      child.stdin!.end();
    } else if (answered.length === payments) child.stdin!.write("close\n");
    else if (answered.length < payments)
      child.stdin!.write(`pay ${answered.length} ${answered.length + 1}\n`);
  });
  for (let seen = 0; !isOver && child.exitCode === null; ) {
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
    for (; seen < lines.length; seen++) {
      const [, pid, file] = /^(\d+) +f(?:data)?sync\(\d+<([^>]+)>\)/.exec(lines[seen]!) ?? [];
      if (pid === undefined || file === undefined) continue;
      const byThen = [...answered];
      // By its number: a store is made under another name.
      if (file.startsWith(path) && existsSync(file)) copyFileSync(file, syncedOf(image, file));
      if (existsSync(path) && existsSync(syncedOf(image, path)))
        images += checked(image, path, byThen, images);
      process.kill(Number(pid), "SIGCONT");
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await ended;
  expectThat(answered.length === payments, `only ${answered.length} of ${payments} were paid`);
  return `${images} images of what was synced, every answered payment in each`;
}

/** What was synced last of a file. */
function syncedOf(image: string, file: string): string {
  return join(image, `${statSync(file).ino}`);
}

/** Opens a copy of the image, as after a power cut. */
function checked(image: string, path: string, answered: readonly string[], n: number): 1 {
  const copy = join(image, `${n}.db`);
  for (const end of ["", "-wal"]) {
    const synced = existsSync(`${path}${end}`) ? syncedOf(image, `${path}${end}`) : "";
    if (existsSync(synced)) copyFileSync(synced, `${copy}${end}`);
  }
  const store = openStore(copy);
  const lost = answered.filter((id) => store.ledger.get(id)?.state !== "completed");
  const damage = store.check();
  store.close();
  expectThat(lost.length === 0, `image ${n} lacks ${lost[0]}, which was answered`);
  expectThat(damage.length === 0, `image ${n} is damaged: ${damage[0]}`);
  return 1;
}
