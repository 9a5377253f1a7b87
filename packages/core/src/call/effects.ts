import { isRecord } from "../is-record.ts";

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

type Field = "string" | "number" | "boolean" | "strings" | readonly string[];
type Fields = Readonly<Record<string, { readonly is: Field; readonly required?: true }>>;

const text = { is: "string" } as const;
const number = { is: "number" } as const;
const needed = { is: "string", required: true } as const;

const FILE_OPS: readonly FileEffect["op"][] = ["create", "write", "append", "delete", "move", "mkdir"];

const FIELDS: Readonly<Record<Effect["type"], Fields>> = {
  file: {
    path: needed,
    op: { is: FILE_OPS, required: true },
    to: text,
    bytesBefore: number,
    bytesAfter: number,
    before: text,
    after: text,
  },
  process: {
    command: needed,
    args: { is: "strings" },
    pid: number,
    exitCode: number,
    signal: text,
    background: { is: "boolean" },
  },
  network: { method: needed, url: needed, status: number },
  custom: { name: needed },
};

/** The first thing by which a value is no effect; undefined for an effect. */
export function effectProblem(given: unknown): string | undefined {
  if (!isRecord(given)) return "it is not an object";
  const { type } = given;
  if (typeof type !== "string" || !Object.hasOwn(FIELDS, type))
    return `its type must be ${Object.keys(FIELDS).join(", ")}`;
  for (const [name, { is, required }] of Object.entries(FIELDS[type as Effect["type"]])) {
    const value = given[name];
    if (value === undefined ? required === true : !isOf(value, is))
      return `its ${name} must be ${typeof is === "string" ? WORDS[is] : is.join(", ")}`;
  }
  return undefined;
}

const WORDS = { string: "text", number: "a number", boolean: "true or false", strings: "a list of texts" };

function isOf(value: unknown, is: Field): boolean {
  if (is === "strings") return Array.isArray(value) && value.every((each) => typeof each === "string");
  return typeof is === "string" ? typeof value === is : is.includes(value as string);
}

/** The name of a custom effect that holds a value which is no effect. */
const UNREADABLE_EFFECT = "unreadable effect";

/** Effects that a tool of another process or an earlier version reported. A value that is none is kept in a custom effect. */
export function checkedEffects(given: unknown): Effect[] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map((each: unknown) =>
    effectProblem(each) === undefined
      ? (each as Effect)
      : { type: "custom", name: UNREADABLE_EFFECT, data: each },
  );
}
