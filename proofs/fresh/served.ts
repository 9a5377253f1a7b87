/** Something that serves a rig, as a person has it: started, opened in a browser, called, stopped with Ctrl-C. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { HANG_MS } from "../../scripts/hang-limit.ts";
import type { RunOptions } from "../../scripts/packages/run.ts";

/** Long enough for a machine that builds the console first, and is busy. */

/**
 * Starts the command, opens the console at the address that it prints with everything that its page loads, makes a call, and
 * stops it. Returns what was seen. Throws when any of it fails.
 */
export async function tryServed(
  command: readonly [string, ...string[]],
  call: { name: string; arguments?: object },
  { cwd, env = process.env }: RunOptions,
): Promise<string> {
  const [program, ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const ended = once(child, "close");
  let said = "";
  const address = new Promise<string>((resolve, reject) => {
    const read = (piece: Buffer) => {
      said += piece;
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("close", () => reject(new Error(`It ended before it served: ${said}`)));
    child.on("error", reject);
    setTimeout(() => reject(new Error(`It printed no address: ${said}`)), HANG_MS).unref();
  });
  try {
    const url = await address;
    const files = await openConsole(url);
    const value = await callOver(url, call);
    // To the whole group, as a terminal sends it.
    process.kill(-(child.pid as number), "SIGINT");
    const [code, signal] = await ended;
    // npm passes on that it was interrupted; what it started has ended in its own time.
    const well = code === 0 || (program === "npm" && signal === "SIGINT");
    if (!well) throw new Error(`It ended with ${code ?? signal} when it was stopped: ${said}`);
    await isGone(url);
    return `the console (${files} files) and ${call.name}: ${value}`;
  } finally {
    stop(child.pid);
  }
}

/** Fetches the page and all that it names. */
async function openConsole(url: string): Promise<number> {
  const page = await fetched(`${url}/`);
  const files = Array.from(page.matchAll(/(?:src|href)="([^"]+\.(?:js|css|svg))"/g), ([, file = ""]) => file);
  if (files.length === 0) throw new Error(`The page at ${url} loads nothing.`);
  for (const file of files) await fetched(new URL(file, `${url}/`).href);
  return files.length + 1;
}

async function callOver(url: string, call: { name: string; arguments?: object }): Promise<string> {
  const headers = { "content-type": "application/json" };
  const text = await fetched(`${url}/api/v1/calls`, { method: "POST", headers, body: JSON.stringify(call) });
  const { isError, value } = JSON.parse(text) as { isError?: boolean; value?: unknown };
  if (isError !== false) throw new Error(`${call.name} failed: ${text}`);
  return JSON.stringify(value);
}

/** Throws when somebody still answers long after it was stopped. */
async function isGone(url: string): Promise<void> {
  const until = Date.now() + HANG_MS;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (await answers()) {
    if (Date.now() > until) throw new Error(`${url} still answers although it was stopped.`);
    await pause(100);
  }
}

async function fetched(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered with ${response.status}: ${await response.text()}`);
  return response.text();
}

function stop(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
