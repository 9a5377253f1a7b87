import { spawn } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Folder } from "../confine/folder.ts";
import type { Roots } from "../confine/roots.ts";
import type { Pattern } from "./pattern.ts";
import { rgPattern } from "./rg-pattern.ts";

/** More files than this are no help: where so many match, looking into them in order finds enough at once. */
const MAX_FILES = 20_000;

/** The absolute path of ripgrep on the PATH. One that lies in a root is somebody's file, and no program of ours. */
export function findRipgrep(roots: Roots, path = process.env.PATH ?? ""): string | undefined {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    try {
      const file = realpathSync(join(folder, process.platform === "win32" ? "rg.exe" : "rg"));
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile() && !roots.contains(file)) return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

/**
 * Files in which ripgrep finds something, sorted, relative to the folder. It only narrows down where to look: it opens files by
 * their paths, so what it says of them is never passed on. Undefined where it cannot help.
 */
export function candidates(
  rg: string,
  folder: Folder,
  { pattern, skip, signal }: { pattern: Pattern; skip: ReadonlySet<string>; signal: AbortSignal },
): Promise<string[] | undefined> {
  const expression = pattern.fixed ? pattern.source : rgPattern(pattern.source);
  if (expression === undefined) return Promise.resolve(undefined);
  const args = [
    ...["--no-config", "--files-with-matches", "--null", "--no-messages", "--color=never"],
    ...["--hidden", "--no-ignore", "--text"],
    ...(pattern.fixed ? ["--fixed-strings"] : []),
    pattern.ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...[...skip].map((name) => `--glob=!**/${escaped(name)}/`),
    ...["-e", expression, "./"],
  ];
  return run(rg, args, folder, signal);
}

function run(
  rg: string,
  args: readonly string[],
  folder: Folder,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  return new Promise((resolve) => {
    const child = spawn(rg, args, {
      // As seen from the child: its own /proc/self is another.
      cwd: folder.at().replace("/proc/self/", `/proc/${process.pid}/`),
      env: {},
      stdio: ["ignore", "pipe", "ignore"],
      signal,
      killSignal: "SIGKILL",
    });
    const chunks: Buffer[] = [];
    let count = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      for (let at = chunk.indexOf(0); at !== -1; at = chunk.indexOf(0, at + 1)) count += 1;
      if (count > MAX_FILES) child.kill("SIGKILL");
    });
    child.on("error", () => resolve(undefined));
    // 2 also says that some files could not be read, which nobody can tell from an expression it does not know.
    child.on("close", (code) =>
      resolve(code === 0 || code === 1 ? pathsIn(Buffer.concat(chunks)) : undefined),
    );
  });
}

function pathsIn(output: Buffer): string[] {
  const paths = output.toString().split("\0").slice(0, -1);
  return paths.map((path) => path.replace(/^\.\//, "")).sort();
}

function escaped(name: string): string {
  return name.replaceAll(/[\\*?[\]{}!]/g, String.raw`\$&`);
}
