/** What a call changed in the world, as data. Effects survive hooks that rewrite the result. */
export type Effect = FileEffect | ProcessEffect | NetworkEffect | CustomEffect;

export interface FileEffect {
  type: "file";
  path: string;
  op: "create" | "write" | "append" | "delete" | "move" | "mkdir";
  /** Where a moved file went. */
  to?: string;
  bytesBefore?: number;
  bytesAfter?: number;
  /** SHA-256 of the content in hex, or the id of an artifact that keeps it. */
  before?: string;
  after?: string;
}

export interface ProcessEffect {
  type: "process";
  command: string;
  args?: readonly string[];
  pid?: number;
  exitCode?: number;
  signal?: string;
  background?: boolean;
}

export interface NetworkEffect {
  type: "network";
  method: string;
  url: string;
  status?: number;
}

export interface CustomEffect {
  type: "custom";
  name: string;
  data?: unknown;
}

/** How far what a tool does to the world can reach. */
/** The least harmful first. */
export const SIDE_EFFECTS = ["none", "read", "write", "external"] as const;
export type SideEffects = (typeof SIDE_EFFECTS)[number];

/** What was done to the world, and whether doing it again would change it further. */
export interface Deed {
  sideEffects: SideEffects;
  idempotent: boolean;
}
