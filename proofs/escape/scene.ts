/** A root full of traps, a folder beside it with a secret, and the toolkit's tools. */
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Executor, type ToolResult } from "@toolrig/core";
import { grep, toolkit } from "@toolrig/toolkit";

export interface Scene {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  /** What is in the files outside, and nowhere else. */
  readonly secret: string;
  readonly socket: Server;
  /** False: this machine lets nobody make devices. */
  readonly hasDevice: boolean;
  call(name: string, args: Record<string, unknown>, without?: "ripgrep"): Promise<ToolResult>;
  /** What came out: a secret in an answer, or a change outside. Undefined when nothing did. */
  escaped(result?: ToolResult): string | undefined;
}

export function makeScene(): Scene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "escape-")));
  const [root, outside, secret] = [
    join(base, "root"),
    join(base, "outside"),
    randomBytes(16).toString("hex"),
  ];
  for (const folder of ["root/sub/deep", "root/.git/hooks", "outside/inner", "root-twin"])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ["outside/secret.txt", "outside/inner/secret.txt", "root-twin/secret.txt"])
    writeFileSync(join(base, file), `${secret}\n`);
  // Names outside are secrets, too.
  writeFileSync(join(outside, `inner/${secret}.txt`), "");
  writeFileSync(join(outside, "secret.json"), JSON.stringify({ secret }));
  writeFileSync(join(root, "sub/a.txt"), "inside\n");
  makeDatabase(join(outside, "secret.db"), secret);
  makeDatabase(join(root, "a.db"), "inside");
  makeLinks(root, base);
  execFileSync("mkfifo", [join(root, "pipe")]);
  const hasDevice = makeDevice(join(root, "device"));
  const before = fingerprint(outside);
  const [tools, alone] = [toolkit({ root }), grep({ roots: root, ripgrep: false })];
  const executor = new Executor({ tools, timeout: "60s" });
  const withoutRipgrep = new Executor({ tools: [alone], timeout: "60s" });
  return {
    ...{ base, root, outside, secret, hasDevice },
    socket: createServer().listen(join(root, "socket")),
    call: (name, args, without) =>
      (without === undefined ? executor : withoutRipgrep).call({ id: "call", name, arguments: args }),
    escaped(result) {
      if (result !== undefined && JSON.stringify(result).includes(secret)) return "the secret came out";
      return fingerprint(outside) === before ? undefined : "something outside was changed";
    },
  };
}

export function removeScene({ base, socket }: Scene): void {
  socket.close();
  rmSync(base, { recursive: true, force: true });
}

function makeLinks(root: string, base: string): void {
  const links: Record<string, string> = {
    out: "../outside/secret.txt",
    outdir: "../outside",
    absolute: join(base, "outside/secret.txt"),
    hop: "sub/hop2",
    "sub/hop2": "../out",
    procroot: `/proc/self/root${base}/outside/secret.txt`,
    environ: "/proc/self/environ",
    zero: "/dev/zero",
    loop: "loop2",
    loop2: "loop",
    dangling: "../outside/new.txt",
    danglingdir: "../outside/newdir",
    up: "..",
    "out.db": "../outside/secret.db",
    "out.json": "../outside/secret.json",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  linkSync(join(base, "outside/secret.txt"), join(root, "hard"));
}

export function makeDatabase(path: string, text: string): void {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE note (text)");
  database.prepare("INSERT INTO note VALUES (?)").run(text);
  database.close();
}

function makeDevice(path: string): boolean {
  try {
    execFileSync("mknod", [path, "c", "1", "5"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Names and contents of everything in a folder. */
function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    hash.update(`${path}\0${entry.isFile() ? readFileSync(path, "hex") : "not a file"}\0`);
  }
  return hash.digest("hex");
}
