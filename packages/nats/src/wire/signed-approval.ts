import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import {
  type AnyTool,
  type Approver,
  type Duration,
  type Principal,
  type ToolCall,
  type ToolDefinition,
  ToolrigError,
} from "@toolrig/core";
import {
  canonicalJson,
  check,
  declareOptions,
  defined,
  definitionHash,
  type OptionTable,
  option,
  parseDuration,
  principalOption,
} from "@toolrig/core/kit";
import { type CallMessage, contentOf } from "./messages.ts";
import { keyOf } from "./names.ts";

/**
 * Somebody's yes to one execution of exactly one call. Only who holds the private key can make one, and a worker needs only
 * the public key: whoever can merely publish calls cannot forge it, move it to other arguments, to another principal or to
 * another definition of the tool, or use it a second time: what it names is the ledger's key, and that has one outcome.
 */
export interface SignedApproval {
  /** The id of the principal who signed. */
  by: string;
  /** Epoch milliseconds. */
  until: number;
  /** Ed25519, base64. */
  signature: string;
}

/** What somebody says yes to. */
export interface ApprovalOf {
  executionId: string;
  /** The name that the caller goes by, if it has one. */
  caller?: string | undefined;
  call: ToolCall;
  /** On whose behalf it is called. */
  principal?: Principal | undefined;
  /** The tool as it was when somebody said yes. */
  definition: ToolDefinition;
}

/** What a signature covers, beside who made it and until when it holds. */
interface Covered {
  key: string;
  call: ToolCall;
  principal: Principal | undefined;
  definition: ToolDefinition;
}

const signOptions = declareOptions("signApproval", {
  executionId: option.id({ required: true }),
  caller: option.text(),
  call: option.object("the call that is approved", { required: true }),
  principal: principalOption(),
  definition: option.object("the definition of the tool that is approved", { required: true }),
  by: principalOption({ required: true }),
  for: option.duration({ default: "5m", zero: true, long: true }),
} satisfies OptionTable<ApprovalOf & { by: Principal; for?: Duration }>);

/** `privateKey` is an Ed25519 key in PEM. An approval holds for five minutes unless told otherwise. */
export function signApproval(
  privateKey: string,
  approval: ApprovalOf & { by: Principal; for?: Duration },
): SignedApproval {
  if (approval === undefined)
    throw check.invalid("approval", "{ executionId, call, definition, by }", approval);
  signOptions.check(approval);
  const { executionId, caller, call, principal, definition, by, for: time = "5m" } = approval;
  const until = Date.now() + parseDuration(time, "for");
  const key = readKey(() => createPrivateKey(privateKey));
  const said = statement({ key: keyOf(executionId, caller), call, principal, definition }, by.id, until);
  return { by: by.id, until, signature: sign(null, said, key).toString("base64") };
}

/** What a worker knows that checks an approval. */
export interface ApprovalChecks {
  keys: readonly KeyObject[];
  callOf(executionId: string): CallMessage | undefined;
  definitionOf(tool: AnyTool): ToolDefinition;
  /** How long the ledger remembers an execution. An approval that outlives that could be used again. */
  rememberedMs(): number;
}

/** Who approved this execution of this call, if one of the keys signed it and it still holds. Never throws. */
function approvedBy(
  { keys, rememberedMs }: ApprovalChecks,
  { key, call, options, approval }: CallMessage,
  definition: ToolDefinition,
): string | undefined {
  const { by, until, signature } = approval ?? {};
  if (typeof by !== "string" || typeof until !== "number" || typeof signature !== "string") return undefined;
  const leftMs = until - Date.now();
  if (!(leftMs >= 0 && leftMs <= rememberedMs())) return undefined;
  try {
    const said = statement({ key, call, principal: options.principal, definition }, by, until);
    const bytes = Buffer.from(signature, "base64");
    return keys.some((each) => verify(null, said, each, bytes)) ? by : undefined;
  } catch {
    return undefined;
  }
}

/** Ed25519 public keys in PEM. */
export function publicKeys(pems: readonly string[]): KeyObject[] {
  return pems.map((pem) => readKey(() => createPublicKey(pem)));
}

/** Answers yes to calls that come with a valid approval, and asks `otherwise` about the others. */
export function signedApprover(checks: ApprovalChecks, otherwise: Approver | undefined): Approver {
  return (request) => {
    const carried = checks.callOf(request.executionId);
    const by = carried && approvedBy(checks, carried, checks.definitionOf(request.tool));
    if (by !== undefined) return { approved: true, by: { id: by } };
    if (otherwise !== undefined) return otherwise(request);
    return { approved: false, reason: "it carries no valid approval" };
  };
}

function statement({ key, call, principal, definition }: Covered, by: string, until: number): Buffer {
  const content = digest(contentOf(call));
  const whose = digest(canonicalJson(principal ?? null));
  return Buffer.from(
    JSON.stringify(["toolrig approval 2", key, content, whose, hashOf(definition), by, until]),
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Of what a model is told of a tool: an offer of the fleet says more, which changes from moment to moment. */
function hashOf(definition: ToolDefinition): string {
  const { name, version, description, inputSchema, outputSchema, annotations } = definition;
  return definitionHash({
    name,
    ...defined({ version }),
    description,
    inputSchema,
    ...defined({ outputSchema, annotations }),
  });
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
