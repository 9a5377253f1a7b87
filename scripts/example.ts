/** `npm run example NAME`: runs an example on the sources of this clone. Without a name, lists them. */
import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { natsServer } from "./nats-server.ts";

const folder = join(import.meta.dirname, "../examples");

/** All examples: files, and folders, each with a file to start with. */
export function exampleNames(): string[] {
  const files = globSync(["*.ts", "*/main.ts", "*/main.test.ts"], { cwd: folder });
  const names = files.map((file) => file.replace(/\.ts$|[/\\].*/, ""));
  return names.filter((name) => !name.endsWith(".test")).sort();
}

export function exampleFile(name: string): string {
  const files = [`${name}.ts`, `${name}/main.ts`, `${name}/main.test.ts`].map((file) => join(folder, file));
  return files.find((file) => existsSync(file)) ?? "";
}

/** The first sentence of its comment: what it shows. */
export function exampleTitle(name: string): string {
  const [, title = ""] =
    /^\/\*\*\n \* ([\s\S]+?)(?:\.\n|\n \*\n)/.exec(readFileSync(exampleFile(name), "utf8")) ?? [];
  return title.replaceAll("\n * ", " ");
}

/**
 * An example that needs a NATS server gets the one that the tests of this clone use. `node` is this one by its own folder: commands in a
 * sandbox see that wherever it is, but not a link to it in a home.
 */
function environmentOf(name: string): NodeJS.ProcessEnv {
  const needsNats = readFileSync(exampleFile(name), "utf8").includes("NATS_SERVER");
  const env = { ...process.env, PATH: dirname(process.execPath) + delimiter + (process.env.PATH ?? "") };
  return needsNats ? { ...env, NATS_SERVER: natsServer() } : env;
}

if (import.meta.main) {
  const [name, ...args] = process.argv.slice(2);
  const names = exampleNames();
  if (name !== undefined && names.includes(name)) {
    const command = ["--conditions=@toolrig/source", exampleFile(name), ...args];
    const child = spawn(process.execPath, command, { stdio: "inherit", env: environmentOf(name) });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
    child.on("exit", (code) => {
      process.exitCode = code ?? 1;
    });
  } else {
    const width = Math.max(...names.map((each) => each.length));
    const list = names.map((each) => `  ${each.padEnd(width)}  ${exampleTitle(each)}`);
    if (name !== undefined) console.error(`There is no example ${name}.\n`);
    console.log(["npm run example NAME", "", ...list].join("\n"));
    process.exitCode = name === undefined ? 0 : 1;
  }
}
