import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installFolder } from "../scripts/install-folder.ts";
import type { Proof } from "./proof.ts";
import { bundled } from "./runtimes/bundle.ts";
import { type Outcome, onDeno, onNode, onWorkerd } from "./runtimes/run.ts";

const HERE = join(import.meta.dirname, "runtimes");
const CORE = '["refunded 40 of A-7",true,"validation","answered","Done."]';
const RIG = '["answered","Done.",["refund_order"]]';

interface Row {
  where: string;
  program: "core-main" | "core-worker" | "rig-main" | "rig-in-memory-main";
  format: "esm" | "cjs";
  run(file: string, folder: string): Promise<Outcome>;
  expected: string;
}

const ROWS: readonly Row[] = [
  { where: "workerd", program: "core-worker", format: "esm", run: onWorkerd, expected: CORE },
  { where: "Deno", program: "core-main", format: "esm", run: onDeno, expected: CORE },
  // A store in a file does not open there: node:sqlite of Deno takes no address with "immutable", by which a store knows its file.
  {
    where: "Deno",
    program: "rig-in-memory-main",
    format: "esm",
    run: onDeno,
    expected: '["answered","Done."]',
  },
  { where: "Node", program: "core-main", format: "esm", run: onNode, expected: CORE },
  { where: "Node", program: "core-main", format: "cjs", run: onNode, expected: CORE },
  { where: "Node", program: "rig-main", format: "esm", run: onNode, expected: RIG },
  { where: "Node", program: "rig-main", format: "cjs", run: onNode, expected: RIG },
];

/** Every row takes seconds, so that both modes run all. */
export const proof: Proof = {
  name: "runtimes",
  claim:
    "Core with a loop runs on Cloudflare's workerd, a rig on Deno, and both on Node as one file without node_modules",

  async run(_mode, print) {
    installFolder(join(HERE, "tools"), "workerd, Deno and esbuild (about 300 MB, once)", print);
    let failed = 0;
    for (const { where, program, format, run, expected } of ROWS) {
      const folder = mkdtempSync(join(tmpdir(), "toolrig-runtimes-"));
      try {
        const { file, bytes } = await bundled(join(HERE, "programs", `${program}.ts`), format, folder);
        const { output, errors } = await run(file, folder);
        const holds = output.trim() === expected;
        if (!holds) failed += 1;
        print(
          `${holds ? "ok  " : "MISS"} ${where.padEnd(8)} ${program.padEnd(12)} ${format}  ${Math.round(bytes / 1024)} kB`,
        );
        if (!holds) print(`     ${(output.trim() || errors.trim()).slice(0, 600)}`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    return { passed: ROWS.length - failed, failed };
  },
};
