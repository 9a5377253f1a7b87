import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { type Approver, type Duration, type ToolCall, ToolrigError } from "@toolrig/core";
import { check, parseDuration } from "@toolrig/core/kit";
import { contentOf } from "./messages.ts";

/**
 * Somebody's yes to one execution of exactly one call. Only who holds the private key can make one, and a worker needs only
 * the public key: whoever can merely publish calls cannot forge it, move it to other arguments or use it a second time.
 */
export interface SignedApproval {
  by: string;
  /** Epoch milliseconds. */
  until: number;
  /** Ed25519, base64. */
  signature: string;
}

export interface ApprovalOf {
  executionId: string;
  call: ToolCall;
}

/** A call as it came, with what it says of its approval. */
interface Carried extends ApprovalOf {
  approval?: SignedApproval;
}

/** `privateKey` is an Ed25519 key in PEM. An approval holds for five minutes unless told otherwise. */
export function signApproval(
  privateKey: string,
  approval: ApprovalOf & { by: string; for?: Duration },
): SignedApproval {
  check.object("approval", approval, "{ executionId, call, by }");
  const { executionId, call, by, for: time = "5m" } = approval;
  check.string("executionId", executionId);
  check.object("call", call, "the call that is approved");
  check.string("by", by);
  const until = Date.now() + parseDuration(time, "for");
  const key = readKey(() => createPrivateKey(privateKey));
  const signature = sign(null, statement(executionId, call, by, until), key).toString("base64");
  return { by, until, signature };
}

/** Who approved this execution of this call, if one of the keys signed it and it still holds. Never throws. */
function approvedBy(
  keys: readonly KeyObject[],
  { executionId, call, approval }: Carried,
): string | undefined {
  const { by, until, signature } = approval ?? {};
  if (typeof by !== "string" || typeof until !== "number" || typeof signature !== "string") return undefined;
  if (!(Date.now() <= until)) return undefined;
  try {
    const said = statement(executionId, call, by, until);
    const bytes = Buffer.from(signature, "base64");
    return keys.some((key) => verify(null, said, key, bytes)) ? by : undefined;
  } catch {
    return undefined;
  }
}

/** Ed25519 public keys in PEM. */
export function publicKeys(pems: readonly string[]): KeyObject[] {
  return pems.map((pem) => readKey(() => createPublicKey(pem)));
}

/** Answers yes to calls that come with a valid approval, and asks `otherwise` about the others. */
export function signedApprover(
  keys: readonly KeyObject[],
  callOf: (executionId: string) => Carried | undefined,
  otherwise: Approver | undefined,
): Approver {
  return (request) => {
    const carried = callOf(request.executionId);
    const by = carried === undefined ? undefined : approvedBy(keys, carried);
    if (by !== undefined) return { approved: true, by };
    if (otherwise !== undefined) return otherwise(request);
    return { approved: false, reason: "it carries no valid approval" };
  };
}

function statement(executionId: string, call: ToolCall, by: string, until: number): Buffer {
  const digest = createHash("sha256").update(contentOf(call)).digest("hex");
  return Buffer.from(JSON.stringify(["toolrig approval", executionId, digest, by, until]));
}

function readKey(read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw new ToolrigError("OPTION_INVALID", "An approval key must be an Ed25519 key in PEM.", { cause });
  }
  if (key.asymmetricKeyType === "ed25519") return key;
  throw check.invalid("An approval key", "an Ed25519 key", key.asymmetricKeyType);
}
