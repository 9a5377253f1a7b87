/** Whatever a command tries, it stays where it is confined to, and nothing of it stays. */
import { processEscapes } from "./escape/processes.ts";
import type { Proof } from "./proof.ts";

export const proof: Proof = {
  name: "escape",
  claim: "No command or path gets out of its root, and nothing of a command is left running",
  run: (mode, print) => processEscapes(mode, print),
};
