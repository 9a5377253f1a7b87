import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { type Approver, type Duration, type ToolCall, ToolrigError } from "@toolrig/core";
import { parseDuration } from "@toolrig/core/kit";
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

/** `privateKey` is an Ed25519 key in PEM. An approval holds for five minutes unless told otherwise. */
export function signApproval(
  privateKey: string,
  { executionId, call, by, for: time = "5m" }: ApprovalOf & { by: string; for?: Duration },
): SignedApproval {
  const until = Date.now() + parseDuration(time, "for");
  const key = readKey(() => createPrivateKey(privateKey));
  const signature = sign(null, statement(executionId, call, by, until), key).toString("base64");
  return { by, until, signature };
}

/** Whether one of the keys signed it, for this execution of this call, and it still holds. Never throws. */
function verifyApproval(
  keys: readonly KeyObject[],
  { executionId, call }: ApprovalOf,
  approval: SignedApproval | undefined,
  now = Date.now(),
): boolean {
  const { by, until, signature } = approval ?? {};
  if (typeof by !== "string" || typeof until !== "number" || typeof signature !== "string") return false;
  if (!(now <= until)) return false;
  try {
    const said = statement(executionId, call, by, until);
    const bytes = Buffer.from(signature, "base64");
    return keys.some((key) => verify(null, said, key, bytes));
  } catch {
    return false;
  }
}

/** Ed25519 public keys in PEM. */
export function publicKeys(pems: readonly string[]): KeyObject[] {
  return pems.map((pem) => readKey(() => createPublicKey(pem)));
}

/** Answers yes to calls that come with a valid approval, and asks `otherwise` about the others. */
export function signedApprover(
  keys: readonly KeyObject[],
  callOf: (executionId: string) => (ApprovalOf & { approval?: SignedApproval }) | undefined,
  otherwise: Approver | undefined,
): Approver {
  return (request) => {
    const carried = callOf(request.executionId);
    if (carried !== undefined && verifyApproval(keys, carried, carried.approval))
      return { approved: true, by: carried.approval!.by };
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
  throw new ToolrigError(
    "OPTION_INVALID",
    `An approval key must be an Ed25519 key; got ${key.asymmetricKeyType}.`,
  );
}
