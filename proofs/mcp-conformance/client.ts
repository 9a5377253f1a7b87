import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { HANG_MS } from "../../scripts/hang-limit.ts";
import type { ProofMode } from "../proof.ts";

/** Scenarios that a revision requires of clients, frozen by the suite at its release. */
const REQUIRED: Readonly<Record<string, number>> = { "2026-07-28": 32, "2025-11-25": 18 };
/** Of each kind one, for the quick version. */
const QUICK: readonly (readonly [revision: string, scenario: string])[] = [
  ["2026-07-28", "sep-2322-client-request-state"], // rounds of questions
  ["2026-07-28", "http-custom-headers"],
  ["2026-07-28", "json-schema-ref-no-deref"],
  ["2026-07-28", "auth/basic-cimd"],
  ["2026-07-28", "auth/iss-wrong-issuer"], // an authorization that must be refused
  ["2025-11-25", "elicitation-sep1034-client-defaults"],
  ["2025-11-25", "sse-retry"], // streams that break off
  ["2025-11-25", "auth/scope-step-up"],
];
/** So many of the quick ones at once. */
const AT_ONCE = 2;
/** All scenarios run at once, each in a process of its own. */

interface Tally {
  passed: number;
  failed: number;
}

/** The conformance suite against a rig with one connection, for each revision. There is no list of expected failures. */
export async function clientHalf(mode: ProofMode, print: (line: string) => void): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0 };
  if (mode === "quick") {
    const left = [...QUICK];
    const take = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [revision, scenario] = next;
        const { lines, code } = await harness(["--spec-version", revision, "--scenario", scenario]);
        print(`${code === 0 ? "held" : "MISS"}  client ${revision}  ${scenario}`);
        if (code !== 0) for (const line of lines) print(`      ${line}`);
        tally[code === 0 ? "passed" : "failed"] += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, take));
    return tally;
  }
  for (const [revision, required] of Object.entries(REQUIRED)) {
    const { passed, failed } = await suite(revision, print);
    const missing = Math.max(0, required - passed - failed);
    if (missing > 0) print(`MISS  client ${revision}: ${missing} required scenarios did not run`);
    print(`client ${revision}: ${passed} of ${required} required scenarios`);
    tally.passed += passed;
    tally.failed += failed + missing;
  }
  return tally;
}

/** Of what the suite ran, what the revision requires. The rest is printed, and decides nothing. */
async function suite(revision: string, print: (line: string) => void): Promise<Tally> {
  const { lines } = await harness(["--requirements", revision]);
  const summary = lines.slice(lines.findIndex((line) => line.includes("=== SUITE SUMMARY ===")));
  const extra = new Set(summary.flatMap((line) => /^ {2}[✓✗] (\S+) \(/.exec(line)?.[1] ?? []));
  const tally: Tally = { passed: 0, failed: 0 };
  for (const line of summary) {
    const [, mark, scenario = "", counts] = /^([✓✗]) (\S+): (.*)$/.exec(line) ?? [];
    if (mark === undefined) continue;
    const isHeld = mark === "✓";
    if (extra.has(scenario)) {
      print(`      not required  ${revision} ${scenario}: ${counts}`);
      continue;
    }
    tally[isHeld ? "passed" : "failed"] += 1;
    print(`${isHeld ? "held" : "MISS"}  client ${revision}  ${scenario}: ${counts}`);
  }
  return tally;
}

async function harness(args: readonly string[]): Promise<{ lines: string[]; code: number | null }> {
  const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
  const program = join(import.meta.dirname, "client-program.ts");
  const command = `${process.execPath} --conditions=@toolrig/source ${program}`;
  const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  const all = [join(dirname(manifest), "dist/index.js"), "client", "--command", command, ...args];
  const child = spawn(process.execPath, [...all, "--timeout", String(HANG_MS)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) lines.push(line);
  const code = await ended;
  rmSync(folder, { recursive: true, force: true });
  return { lines, code };
}
