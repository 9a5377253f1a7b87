import type { Proof } from "./proof.ts";

export async function loadProof(name: string): Promise<Proof> {
  const module: { proof: Proof } = await import(`./${name}.ts`);
  return module.proof;
}
