import { readdirSync } from "node:fs";

const MACHINERY = new Set(["main.ts", "load-proof.ts", "proof.ts", "proof-names.ts", "quick.ts"]);

/** Every file in this folder that is not machinery or a test is the proof of that name. */
export function proofNames(): string[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !MACHINERY.has(file))
    .map((file) => file.slice(0, -".ts".length))
    .sort();
}
