import type { DecodeMode, Degree, Repair } from "@toolrig/json";
import { constant } from "../copy.ts";

/** How the argument text became a value, and what was changed for it. */
export interface Decoded {
  mode: DecodeMode;
  /** Of the least sure repair. */
  degree: Degree;
  repairs: Repair[];
}

/** Read as written. */
export const STRICT: Decoded = constant({ mode: "strict", degree: "exact", repairs: [] });
