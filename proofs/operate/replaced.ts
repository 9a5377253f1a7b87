import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@toolrig/store";
import { Payer, paidTwice } from "../../packages/store/test/payer.ts";
import { crashed } from "./episodes.ts";
import { expectThat } from "./expect-that.ts";
import { toolrig } from "./toolrig.ts";

interface Replacement {
  what: string;
  /** How it is refused; absent where nothing is lost. */
  problem?: string;
  replace(path: string, copy: string): unknown;
}

const REPLACEMENTS: readonly Replacement[] = [
  { what: "shared index deleted", replace: (path) => rmSync(`${path}-shm`, { force: true }) },
  { what: "reserve deleted", replace: (path) => rmSync(`${path}-reserve`, { force: true }) },
  {
    what: "log of another store in place",
    problem: "other-log",
    async replace(path) {
      const other = `${path}.other`;
      const payer = await Payer.start(other);
      await payer.pay(0, 3);
      await payer.kill();
      copyFileSync(`${other}-wal`, `${path}-wal`);
    },
  },
  {
    what: "database of another program in place, log left",
    problem: "not-a-store",
    replace(path) {
      rmSync(path);
      const other = new DatabaseSync(`${path}.foreign`);
      other.exec("CREATE TABLE theirs (x)");
      other.close();
      copyFileSync(`${path}.foreign`, path);
    },
  },
  {
    what: "text in place",
    problem: "not-a-store",
    replace: (path) =>
      writeFileSync(path, "not a database, but long enough to be taken for one\n".repeat(20)),
  },
  {
    what: "file cut in half",
    problem: "corrupt",
    replace: (path) => truncateSync(path, Math.floor(statSync(path).size / 8_192) * 4_096),
  },
];

/** A file of the store is lost or replaced after a crash: it is refused, untouched, or all of it is there. Then it is restored. */
export const replaced = REPLACEMENTS.map(({ what, problem, replace }) => ({
  what: `crash, ${what}`,
  async run(path: string): Promise<string> {
    const copy = await crashed(path);
    await replace(path, copy);
    const before = readFileSync(path);
    const found = problemOf(path);
    expectThat(found === problem, `found as ${found} instead of ${problem ?? "whole"}`);
    if (problem === undefined) return everythingIsThere(path);
    expectThat(readFileSync(path).equals(before), "the file was changed");
    expectThat(toolrig(path, "open").status !== 0, "toolrig open says all is well");
    const { said } = toolrig(path, "doctor");
    expectThat(!said.includes("Set store in the config"), `doctor advises an empty ledger: ${said}`);
    const repaired = toolrig(path, "restore", copy);
    expectThat(repaired.status === 0, `restore: ${repaired.said}`);
    const payer = await Payer.start(path);
    await payer.pay(0, 10);
    await payer.kill();
    expectThat(paidTwice(path).length === 0, "a payment was repeated");
    return `saw ${problem}; did toolrig restore: none repeated`;
  },
}));

function problemOf(path: string): string | undefined {
  try {
    openStore(path, { readOnly: true }).close();
    return undefined;
  } catch (error) {
    return (error as { details?: { problem?: string } }).details?.problem ?? String(error);
  }
}

async function everythingIsThere(path: string): Promise<string> {
  const payer = await Payer.start(path);
  const codes = await payer.pay(0, 10);
  await payer.kill();
  expectThat(codes === "paid" && paidTwice(path).length === 0, `payments are lost: ${codes}`);
  return "nothing is lost, 10 answered again";
}
