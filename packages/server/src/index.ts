export type { Scope } from "./wire.ts";
