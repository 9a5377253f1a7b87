/** The same call by every kind of caller: what is decided, and what is recorded of it, must be the same. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallRecord } from "@toolrig/core";
import { openStore } from "@toolrig/store";
import { startNats } from "../scripts/start-nats.ts";
import { CALLERS, type Caller, commandLine, fleet, PROSE } from "./one-pipeline/callers.ts";
import { SITUATIONS } from "./one-pipeline/house.ts";
import type { Proof } from "./proof.ts";

/** Who made a call differs, and when; nothing else may. */
function comparable({ name, version, definitionHash, args, verdicts, retries, result }: CallRecord) {
  const { isError, content, failure, value, decoded, attempts, advice, artifact } = result;
  const repairs = decoded.repairs.map(({ kind, path, before, after }) => ({ kind, path, before, after }));
  return {
    ...{ name, version, definitionHash, args, verdicts },
    retries: retries?.map((retry) => ({ attempt: retry.attempt, code: retry.failure.code })),
    result: { isError, content, failure, value, attempts, advice, spilled: artifact !== undefined },
    decoded: { mode: decoded.mode, degree: decoded.degree, repairs },
  };
}

/** Content names the artifact, whose id differs from run to run, and failures the execution. */
const anonymous = (text: string) => text.replaceAll(/(art|exec)_[A-Za-z0-9_-]+/g, "$1_…");

async function recordOf(caller: Caller, name: string, args: { n: unknown }): Promise<CallRecord | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-pipeline-"));
  const path = join(folder, "rig.db");
  try {
    await caller({ name, args }, path);
    const store = openStore(path);
    const found = store.records.query({ tool: name }).records;
    await store.close();
    return found.length === 1 ? found[0] : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The paths at which two values differ. */
function differences(one: unknown, other: unknown, path = ""): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return [`${path}: ${JSON.stringify(other)} instead of ${JSON.stringify(one)}`];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) =>
    differences((one as never)[key], (other as never)[key], `${path}/${key}`),
  );
}

export const proof: Proof = {
  name: "one-pipeline",
  claim: "Whoever calls, the same call has the same validation, guards, deadline, retries and record",
  async run(mode, print) {
    const server = await startNats();
    const far: Readonly<Record<string, Caller>> = { "command line": commandLine, fleet: fleet(server.url) };
    let [passed, failed] = [0, 0];
    try {
      for (const [index, { what, name, args, want }] of SITUATIONS.entries()) {
        // Processes take time: the quick version starts them for two situations.
        const everybody = mode === "full" || index % 5 === 0 ? { ...CALLERS, ...far } : CALLERS;
        const cells: string[] = [];
        const misses: string[] = [];
        let first: unknown;
        for (const [who, caller] of Object.entries(everybody)) {
          // One found in prose is asked about for that reason, too, where it would change something.
          if (who === PROSE && name === "delicate") continue;
          const record = await recordOf(caller, name, args);
          const got = record?.result.failure?.kind ?? (record === undefined ? "no record" : "ok");
          const seen = record && JSON.parse(anonymous(JSON.stringify(comparable(record))));
          first ??= seen;
          const differs = [
            ...(got === want ? [] : [`${got} instead of ${want}`]),
            ...differences(first, seen),
          ];
          cells.push(`${who} ${differs.length === 0 ? got : "MISS"}`);
          misses.push(...differs.map((each) => `${who}: ${each}`));
          if (differs.length === 0) passed += 1;
          else failed += 1;
        }
        print(`${misses.length === 0 ? "ok  " : "MISS"} ${what.padEnd(28)} ${cells.join(", ")}`);
        for (const miss of misses) print(`       ${miss}`);
      }
    } finally {
      await server.close();
    }
    return { passed, failed };
  },
};
