/** The half about files: paths, links, special files, names, and races against a process that swaps what is there. */
import { readdirSync } from "node:fs";
import type { ToolResult } from "@toolrig/core";
import type { Attempt, MakeHalf, Seen } from "./attempt.ts";
import { raceAttempts } from "./races.ts";
import { makeScene, removeScene, type Scene } from "./scene.ts";

export const files: MakeHalf = async (mode) => {
  const scene = makeScene();
  return {
    attempts: [
      ...readings(scene),
      ...searches(scene),
      ...databases(scene),
      ...changes(scene),
      ...namings(scene),
      ...raceAttempts(scene, mode),
    ],
    async close() {
      const left = readdirSync(scene.root, { recursive: true })
        .map(String)
        .filter((name) => name.includes(".toolrig-"));
      removeScene(scene);
      return left.length === 0 ? undefined : `temporary files: ${left.join(", ")}`;
    },
  };
};

type Expected = "refused" | "nothing of it" | "inside only";

/** A call, and that nothing came out by it. */
function attempt(
  scene: Scene,
  title: string,
  name: string,
  args: Record<string, unknown>,
  { expected = "refused", without }: { expected?: Expected; without?: "ripgrep" } = {},
): Attempt {
  return {
    title: `${name}: ${title}`,
    expected,
    run: async () => judged(scene, await scene.call(name, args, without), expected),
  };
}

function judged(scene: Scene, result: ToolResult, expected: Expected): Seen {
  const out = scene.escaped(result);
  if (out !== undefined) return { seen: out, ok: false };
  const { failure } = result;
  const seen = failure === undefined ? "done, inside" : `${failure.kind}: ${failure.message.slice(0, 90)}`;
  const answered = failure === undefined || ["denied", "validation"].includes(failure.kind);
  return { seen, ok: answered && (expected !== "refused" || failure !== undefined) };
}

function readings(scene: Scene): Attempt[] {
  const { root, outside, base } = scene;
  const secret = `${outside}/secret.txt`;
  const paths: [title: string, path: string][] = [
    ["one folder up", "../outside/secret.txt"],
    ["down and further up", "sub/deep/../../../outside/secret.txt"],
    ["dots and slashes", "././/..//./outside/secret.txt"],
    ["up from an absolute path inside", `${root}/../outside/secret.txt`],
    ["an absolute path", secret],
    ["an absolute path with two slashes", `/${secret}`],
    ["a folder whose name begins like the root's", `${base}/root-twin/secret.txt`],
    ["a thousand folders up", `${"../".repeat(1_000)}${secret}`],
    ["/etc/passwd", "/etc/passwd"],
    ["/proc/self/environ", "/proc/self/environ"],
    ["/proc/self/root and the secret", `/proc/self/root${secret}`],
    ["/proc/self/cwd", "/proc/self/cwd/package.json"],
    ["a descriptor of this process", "/proc/self/fd/0"],
    ["/dev/zero, which has no end", "/dev/zero"],
    ["/dev/stdin", "/dev/stdin"],
    ["a link to the secret", "out"],
    ["a link to its folder", "outdir/secret.txt"],
    ["a link to its folder, and deeper", "outdir/inner/secret.txt"],
    ["a link with an absolute target", "absolute"],
    ["a link to a link", "hop"],
    ["a link to the folder above", "up/outside/secret.txt"],
    ["a link by way of /proc", "procroot"],
    ["a link to the environment", "environ"],
    ["a link to a device", "zero"],
    ["links in a circle", "loop"],
    ["a link to nothing outside", "dangling"],
    ["a pipe that nobody writes to", "pipe"],
    ["a socket", "socket"],
    ["a folder", "sub"],
    ...(scene.hasDevice ? [["a device of its own", "device"] as [string, string]] : []),
  ];
  return [
    ...paths.map(([title, path]) => attempt(scene, title, "read_file", { path })),
    attempt(scene, "a folder above", "list_dir", { path: ".." }),
    attempt(scene, "a link to a folder outside", "list_dir", { path: "outdir" }),
    attempt(scene, "/proc/self/fd", "list_dir", { path: "/proc/self/fd" }),
    attempt(scene, "a file outside", "read_json", { path: "../outside/secret.json" }),
    attempt(scene, "a link to a file outside", "read_json", { path: "out.json" }),
    attempt(scene, "a pipe that nobody writes to", "read_json", { path: "pipe" }),
  ];
}

function searches(scene: Scene): Attempt[] {
  const inside = { expected: "nothing of it" } as const;
  const alone = { ...inside, without: "ripgrep" } as const;
  return [
    attempt(scene, "everything, with links to folders outside", "glob", { pattern: "**", all: true }, inside),
    attempt(scene, "a pattern that goes up", "glob", { pattern: "../**" }),
    attempt(scene, "a pattern that is absolute", "glob", { pattern: "/etc/*" }),
    attempt(scene, "in a link to a folder outside", "glob", { pattern: "**", path: "outdir" }),
    attempt(scene, "in a link to the folder above", "glob", { pattern: "**", path: "up" }),
    attempt(
      scene,
      "every line, past pipe, socket and links",
      "grep",
      { pattern: "[0-9a-f]{32}", files: "!hard" },
      inside,
    ),
    attempt(scene, "the same without ripgrep", "grep", { pattern: "[0-9a-f]{32}", files: "s*" }, alone),
    attempt(scene, "in a link to a folder outside", "grep", { pattern: ".", path: "outdir" }),
    attempt(scene, "in a link to the secret", "grep", { pattern: ".", path: "out" }),
    attempt(
      scene,
      "an option of ripgrep as the pattern",
      "grep",
      { pattern: `--file=${scene.outside}/secret.txt`, path: "sub" },
      inside,
    ),
    attempt(
      scene,
      "a program of ripgrep as the pattern",
      "grep",
      { pattern: "--pre=cat", path: "sub" },
      inside,
    ),
    attempt(
      scene,
      "an expression that would take for ever",
      "grep",
      { pattern: "(a+)+$", path: "sub" },
      inside,
    ),
  ];
}

function databases(scene: Scene): Attempt[] {
  const { outside } = scene;
  const sql = "SELECT * FROM note";
  const query = (title: string, statement: string) =>
    attempt(scene, title, "query_sqlite", { path: "a.db", sql: statement });
  return [
    attempt(scene, "a database outside", "query_sqlite", { path: "../outside/secret.db", sql }),
    attempt(scene, "a link to a database outside", "query_sqlite", { path: "out.db", sql }),
    attempt(scene, "a URI as the path", "query_sqlite", { path: `file://${outside}/secret.db?mode=rw`, sql }),
    query("attaching a database outside", `ATTACH '${outside}/secret.db' AS o`),
    query("attaching it in a second statement", `SELECT 1; ATTACH '${outside}/secret.db' AS o`),
    query("writing a copy outside", `VACUUM INTO '${outside}/copy.db'`),
    query("reading a file by a function", `SELECT readfile('${outside}/secret.txt')`),
    query("loading an extension", `SELECT load_extension('${outside}/secret.txt')`),
    query("writing", "WITH x AS (SELECT 1) DELETE FROM note"),
  ];
}

function changes(scene: Scene): Attempt[] {
  const { outside } = scene;
  const write = (title: string, path: string, expected: Expected = "refused") =>
    attempt(scene, title, "write_file", { path, content: "written" }, { expected });
  const edits = [{ old: "i", new: "x" }];
  return [
    write("a new file outside", "../outside/new.txt"),
    write("a new file outside, absolute", `${outside}/new.txt`),
    write("the secret, by a link", "out"),
    write("into a folder outside, by a link", "outdir/new.txt"),
    write("new folders outside, by a link", "outdir/a/b/new.txt"),
    write("what a dangling link would make", "dangling"),
    write("in a folder that a dangling link would make", "danglingdir/new.txt"),
    write("another name of a file outside (hard link)", "hard", "inside only"),
    write("a pipe that nobody reads from", "pipe"),
    write("a socket", "socket"),
    write("the root itself", "."),
    write("a hook of Git", ".git/hooks/pre-commit"),
    write("a hook of Git in capital letters", ".GIT/hooks/pre-commit"),
    write("into /proc/self/fd", "/proc/self/fd/1"),
    ...(scene.hasDevice ? [write("a device", "device")] : []),
    attempt(scene, "the secret, by a link", "edit_file", { path: "out", edits }),
    attempt(scene, "the environment, by a link", "edit_file", { path: "environ", edits }),
    attempt(scene, "out of the root", "move_file", { path: "sub/a.txt", to: "../outside/a.txt" }),
    attempt(scene, "out of the root by a link", "move_file", { path: "sub/a.txt", to: "outdir/a.txt" }),
    attempt(scene, "into the root from outside", "move_file", {
      path: "../outside/secret.txt",
      to: "mine.txt",
    }),
    attempt(scene, "into the root by a link", "move_file", { path: "outdir/secret.txt", to: "mine.txt" }),
    attempt(scene, "over the root", "move_file", { path: "sub", to: ".", overwrite: true }),
    attempt(scene, "a file outside", "delete_file", { path: "../outside/secret.txt", permanent: true }),
    attempt(scene, "a file outside, by a link", "delete_file", {
      path: "outdir/secret.txt",
      permanent: true,
    }),
    attempt(
      scene,
      "a link, whose target must stay",
      "delete_file",
      { path: "absolute" },
      { expected: "inside only" },
    ),
    attempt(scene, "the root itself", "delete_file", { path: "." }),
  ];
}

function namings(scene: Scene): Attempt[] {
  const names: [title: string, path: string][] = [
    ["NUL in the middle", "sub/a.txt\0/../../outside/secret.txt"],
    ["NUL at the end", "../outside/secret.txt\0"],
    ["a home folder", "~/secret.txt"],
    ["somebody's home folder", "~root/.bashrc"],
    ["a URL", `file://${scene.outside}/secret.txt`],
    ["backslashes", "..\\outside\\secret.txt"],
    ["percent signs", "%2e%2e/outside/secret.txt"],
    ["full-width dots", "\uff0e\uff0e/outside/secret.txt"],
    ["a slash that is none", "..\u2215outside\u2215secret.txt"],
    ["one dot leaders for dots", "\u2024\u2024/outside/secret.txt"],
    ["an invisible character between dots", ".\u200b./outside/secret.txt"],
    ["right-to-left text", "\u202etxt.terces/edistuo/.."],
    ["a line break", "../outside\n/secret.txt"],
    ["another case outside", "../OUTSIDE/secret.txt"],
    ["a name of 5,000 characters", "x".repeat(5_000)],
    ["a path of 100,000 characters", "a/".repeat(50_000)],
    ["half a character", "\ud800"],
    ["nothing", ""],
    ["spaces", "   "],
  ];
  return names.flatMap(([title, path]) => [
    attempt(scene, title, "read_file", { path }),
    attempt(
      scene,
      title,
      "write_file",
      { path, content: "x" },
      { expected: title === "percent signs" ? "inside only" : "refused" },
    ),
  ]);
}
