import { join } from "node:path";

/** Where tokens of this folder are kept: their hashes. */
export const TOKENS = join(".toolrig", "tokens.json");
