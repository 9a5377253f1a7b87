/** `npm run prove`: lists the proofs. `npm run prove NAME [--quick | --full]`: runs one; exits 1 when it falls short. */
import { loadProof } from "./load-proof.ts";
import { proofNames } from "./proof-names.ts";

const [name, ...flags] = process.argv.slice(2);
const unknown = flags.find((flag) => flag !== "--quick" && flag !== "--full");

if (name === undefined) {
  for (const each of proofNames()) console.log(`${each.padEnd(16)} ${(await loadProof(each)).claim}`);
} else if (!proofNames().includes(name) || unknown !== undefined) {
  const problem = unknown === undefined ? `No proof is called "${name}"` : `Unknown option ${unknown}`;
  console.error(
    `${problem}. Use: npm run prove NAME [-- --quick | --full], NAME one of ${proofNames().join(", ")}.`,
  );
  process.exitCode = 2;
} else {
  const proof = await loadProof(name);
  const verdict = await proof.run(flags.includes("--quick") ? "quick" : "full", console.log);
  if (verdict.skipped !== undefined) console.log(`skipped: ${verdict.skipped}`);
  console.log(`${verdict.passed} passed, ${verdict.failed} failed`);
  if (verdict.failed > 0) process.exitCode = 1;
}
