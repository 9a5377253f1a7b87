/** Runs every command of cli.md with the config that the page shows; what it prints must be what the page says. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT_CODE } from "../packages/cli/src/shell/exit-code.ts";
import { project } from "../packages/cli/test/toolrig-process.ts";

const page = readFileSync(join(import.meta.dirname, "cli.md"), "utf8");
const config = /^```ts\n([\s\S]*?)^```$/m.exec(page)![1]!;
const sessions = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);

const main = join(import.meta.dirname, "..", "packages", "cli", "src", "main.ts");
const cwd = project({ "toolrig.config.ts": config });
mkdirSync(join(cwd, "bin"));
writeFileSync(
  join(cwd, "bin", "toolrig"),
  `#!/bin/sh\nexec "${process.execPath}" --conditions=@toolrig/source "${main}" "$@"\n`,
);
chmodSync(join(cwd, "bin", "toolrig"), 0o755);

/** A session as the page would show it: every command in one shell, with all that it printed. */
function replay(session: string): string {
  const commands = session.split("\n").filter((line) => line.startsWith("$ "));
  const script = commands.map(
    (line) => `printf '%s\\n' '${line.replaceAll("'", `'\\''`)}'; (exit $code)\n${line.slice(2)}\ncode=$?`,
  );
  return execFileSync("bash", ["--norc", "-c", `exec 2>&1\n${script.join("\n")}`], {
    cwd,
    encoding: "utf8",
    env: {
      PATH: `${join(cwd, "bin")}:${process.env.PATH}`,
      NODE_COMPILE_CACHE: join(tmpdir(), "toolrig-compile-cache"),
    },
  });
}

/** Times, ids and hashes differ from run to run. */
function timeless(session: string): string {
  return session
    .replaceAll(/ *\b\d+(?:\.\d+)?m?s\b/g, " <time>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<date>")
    .replaceAll(/\b(run|exec|call|req)_[\w.]+/g, "<$1>")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>");
}

test.each(sessions.map((session) => [session.split("\n", 1)[0], session] as const))("%s", (_, session) => {
  expect(timeless(replay(session))).toBe(timeless(session));
});

test("the exit codes are those of core", () => {
  const rows = [...page.matchAll(/^\| (\d+) \| (\w+) \|/gm)].map(([, code, kind]) => [kind, Number(code)]);
  expect(Object.fromEntries(rows)).toEqual(EXIT_CODE);
});
