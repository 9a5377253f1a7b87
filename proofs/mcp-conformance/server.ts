import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** Scenarios that a revision requires of servers, frozen by the suite at its release. */
const REQUIRED: Readonly<Record<string, number>> = { "2026-07-28": 37, "2025-11-25": 30 };

interface Tally {
  passed: number;
  failed: number;
}

/** The conformance suite against a served rig, for each revision. There is no list of expected failures. */
export async function serverHalf(print: (line: string) => void): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0 };
  const server = spawn(
    process.execPath,
    ["--conditions=@toolrig/source", join(import.meta.dirname, "serve.ts")],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  try {
    const [port] = (await once(createInterface(server.stdout), "line")) as [string];
    for (const [revision, required] of Object.entries(REQUIRED)) {
      const { passed, failed } = await suite(revision, `http://127.0.0.1:${port}/mcp`, print);
      const missing = Math.max(0, required - passed - failed);
      if (missing > 0) print(`MISS  server ${revision}: ${missing} required scenarios did not run`);
      print(`server ${revision}: ${passed} of ${required} required scenarios`);
      tally.passed += passed;
      tally.failed += failed + missing;
    }
  } finally {
    server.kill();
  }
  return tally;
}

/** Of what the suite ran, what the revision requires. The rest is printed, and decides nothing. */
async function suite(revision: string, url: string, print: (line: string) => void): Promise<Tally> {
  const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
  const cli = join(dirname(manifest), "dist/index.js");
  const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  const child = spawn(process.execPath, [cli, "server", "--url", url, "--requirements", revision], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) lines.push(line);
  rmSync(folder, { recursive: true, force: true });
  const from = lines.findIndex((line) => line.includes("=== SUMMARY ==="));
  const extra = new Set(lines.slice(from).flatMap((line) => /^ {2}[✓✗] (\S+) \(/.exec(line)?.[1] ?? []));
  const tally: Tally = { passed: 0, failed: 0 };
  for (const line of lines.slice(from)) {
    const [, mark, scenario = "", counts] = /^([✓✗]) (\S+): (.*)$/.exec(line) ?? [];
    if (mark === undefined) continue;
    const held = mark === "✓";
    if (extra.has(scenario)) {
      print(`      not required  ${revision} ${scenario}: ${counts}`);
      continue;
    }
    tally[held ? "passed" : "failed"] += 1;
    print(`${held ? "held" : "MISS"}  server ${revision}  ${scenario}: ${counts}`);
  }
  return tally;
}
