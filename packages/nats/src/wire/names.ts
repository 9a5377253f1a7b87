import { createHash } from "node:crypto";
import { check, defined } from "@toolrig/core/kit";
import { tooLong } from "./subject-room.ts";

/** Subjects, consumers and keys. Whatever a tool or a run is called, its name on the wire is safe and its own. */

export const SUBJECT = {
  /** Calls. Captured by the call stream. */
  execute: "tool.execute",
  /** Final ledger entries, republished by the ledger's bucket. */
  result: "tool.result",
  update: "tool.update",
  cancel: "tool.cancel",
  /** What calls waited for that were parked. */
  complete: "tool.complete",
  answer: "tool.answer",
  /** Asks a worker what it runs. */
  worker: "tool.worker",
  list: "tool.list",
  deadLetter: "tool.dlq",
  rate: "tool.rate",
  slot: "tool.slot",
} as const;

/** Which queue of a tool a call waits in. A call of high priority never waits behind others. */
export type Priority = (typeof PRIORITIES)[number];
export const PRIORITIES = ["high", "normal", "low"] as const;

const MAX_ID = 256;

/** What keys begin with whose executions name no caller. No caller is called so. */
export const NOBODY = "id";

/** One subject token from any text: what a token cannot hold is escaped, so that two names never share one. */
export function token(text: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 128 && /[A-Za-z0-9_-]/.test(character)
      ? character
      : `=${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}

/** Why a name cannot be part of a subject; undefined when it can. */
export function unfitName(name: string): string | undefined {
  const unfit = unfitToken("name", name);
  return unfit && `its name ${unfit}`;
}

/** Why a text takes too much of a subject as a token; undefined when it fits. Escaping much that does not would only cost time. */
export function unfitToken(part: "name" | "key", text: string): string | undefined {
  return tooLong(part, text) ?? tooLong(part, token(text));
}

/** Where calls of a tool wait: of any version or of one major version, in one lane, from the fleet's account or from others. */
export interface Queue {
  name: string;
  major?: number | undefined;
  priority?: Priority | undefined;
  /** For calls that come from accounts of their own, which the server's configuration puts on subjects with their names. */
  imported?: boolean | undefined;
}

export function executeSubject({ name, major, priority = "normal", imported = false }: Queue): string {
  const version = major === undefined ? "" : `.v${major}`;
  const lane = priority === "normal" ? "" : `.${priority}`;
  return `${SUBJECT.execute}.${token(name)}${version}${lane}${imported ? ".from.*" : ""}`;
}

/** What a subject says of the calls on it. */
export interface ExecuteSubject {
  toolToken: string;
  major?: number;
  urgent: boolean;
  /** The account that they come from, if it is not the fleet's. Nobody there can publish on another's subject. */
  account?: string;
}

/** Undefined when the subject is none of ours. */
export function readExecuteSubject(subject: string): ExecuteSubject | undefined {
  const parts =
    /^tool\.execute\.([^.]+)(?:\.v(\d+))?(?:\.(high|low))?(?:\.from\.([^.]+))?$/.exec(subject) ?? [];
  const [, toolToken, major, lane, account] = parts;
  if (toolToken === undefined) return undefined;
  return {
    toolToken,
    ...(major !== undefined && { major: Number(major) }),
    urgent: lane === "high",
    ...defined({ account }),
  };
}

/** The durable consumer of a tool's calls: `file_read` → `tool-exec-file-read`. */
export function consumerName(
  name: string,
  major?: number,
  suffix = "",
  priority: Priority = "normal",
  imported = false,
): string {
  const version = major === undefined ? "" : `-v${major}`;
  const lane = priority === "normal" ? "" : `-${priority}`;
  const from = imported ? "-from" : "";
  return `tool-exec-${readable(name)}${version}${lane}${from}${suffix === "" ? "" : `-${readable(suffix)}`}`;
}

/** The same with a hash of the tool's own name, for a tool whose plain consumer name belongs to another. */
export function hashedConsumerName(name: string, ...rest: [number?, string?, Priority?, boolean?]): string {
  return consumerName(`${readable(name)}-${shortHash(name)}`, ...rest);
}

/** The stream that keeps a limit of a tool. */
export function limitStream(kind: string, name: string): string {
  return `${kind}_${name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)}_${shortHash(name)}`;
}

function readable(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/g, "-").slice(0, 64);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/**
 * The ledger key of an execution, which is also the tail of the subjects of its result and its updates. Its first token
 * is the caller's, so that a server can let each caller see only its own; ids made here have such a token already, and
 * others become one.
 */
export function keyOf(executionId: string, caller?: string): string {
  if (executionId === "" || executionId.length > MAX_ID)
    throw check.invalid("The length of an execution id", `1 to ${MAX_ID}`, executionId.length);
  if (caller === undefined)
    return /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(executionId)
      ? executionId
      : `${NOBODY}.${token(executionId)}`;
  const unfit = unfitName(caller);
  if (unfit !== undefined) throw check.invalid("caller", "a shorter name", unfit);
  return `${token(caller)}.${token(executionId)}`;
}

/** Longer keys are not shown to people: their hash stands for them. */
const MAX_PIPELINE_ID = 200;

/**
 * The id by which a worker's pipeline, its waits and its records know the execution of a key. Execution ids are their callers' own
 * choice, and two callers may choose the same; keys are unique in a fleet. No key has a colon.
 */
export function pipelineIdOf(key: string): string {
  if (key.length <= MAX_PIPELINE_ID) return key;
  return `key:${createHash("sha256").update(key).digest("hex")}`;
}

/** The first token of a key: one subscription covers all executions that share it. */
export function keyPrefix(key: string): string {
  return key.slice(0, key.indexOf("."));
}
