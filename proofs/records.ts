import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crashSite } from "@toolrig/core/testing";
import { openStore } from "@toolrig/store";
import type { Proof, Verdict } from "./proof.ts";
import { failureTable } from "./records/failures.ts";
import { identifierTable } from "./records/identifiers.ts";
import { leftOpenTable } from "./records/left-open.ts";
import { redactionTable } from "./records/redaction.ts";
import { tamperingTable } from "./records/tampering.ts";
import { unstoredTable } from "./records/unstored-outcome.ts";

interface Line {
  what: string;
  saw: string;
  ok: boolean;
  skipped?: true;
}

export const proof: Proof = {
  name: "records",
  claim:
    "Nothing recorded is lost or changed unseen, no secret is recorded, and a store that fails refuses side effects while reads go on",

  async run(mode, print) {
    const tampering = (await tamperingTable()).map(
      ({ what, sealed, found, ok }): Line => ({ what: `${what} (${sealed})`, saw: found, ok }),
    );
    const failures = await failureTable();
    const unstored = await unstoredTable();
    const left = await leftOpenTable();
    const kills = await killTable(mode === "full" ? [...FEW, ...MANY] : [3, 6, 200]);
    const verdict: Verdict = { passed: 0, failed: 0 };
    for (const [title, lines] of Object.entries({
      "what the audit says": tampering,
      "what is removed from records": redactionTable(),
      "identifiers beside redaction": await identifierTable(),
      "a store in a bad state": failures,
      "a store that fails as a side effect ends": unstored,
      "a side effect that was cut off": left,
      "killed while recording": kills,
    })) {
      print(`\n${title}`);
      for (const { what, saw, ok, skipped } of lines) {
        print(`${skipped ? "skip" : ok ? "ok  " : "MISS"} ${what.padEnd(62)} ${saw}`);
        if (skipped) verdict.skipped = `${what}: ${saw}`;
        else if (ok) verdict.passed += 1;
        else verdict.failed += 1;
      }
    }
    return verdict;
  },
};

/** While the process writes records itself, and when it has a thread for them. */
const FEW = Array.from({ length: 12 }, (_, index) => (index + 1) * 3);
const MANY = Array.from({ length: 12 }, (_, index) => 180 + index * 17);

/** Whatever was stored before the kill is there afterwards, in a chain that verifies. */
async function killTable(stages: readonly number[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (const stage of stages) {
    const site = crashSite({
      module: new URL("./records/killed-recorder.ts", import.meta.url),
      given: 3_000,
      execArgv: ["--conditions=@toolrig/source"],
    });
    try {
      const { killed } = await site.start(stage);
      const stored = readFileSync(join(site.folder, "stored"), "utf8")
        .trim()
        .split("\n")
        .reduce((sum, line) => sum + Number(line), 0);
      const store = openStore(join(site.folder, "rig.db"));
      const { ok, checked } = store.records.verify();
      store.close();
      lines.push({
        what: `killed at stage ${stage}`,
        saw: `${stored} stored, ${checked} found, audit ${ok ? "intact" : "broken"}`,
        ok: killed && ok && checked >= stored,
      });
    } finally {
      site.remove();
    }
  }
  return lines;
}
