import { createHash, type KeyObject, sign, verify } from "node:crypto";
import type { MsgHdrs } from "@nats-io/transport-node";
import { MalformedMessage } from "./malformed-message.ts";
import { readPublicNkey, readSeed } from "./nkeys.ts";

const SIGNATURE = "Tool-Signature";
const SIGNED_AT = "Tool-Signed-At";

/** The headers by which a message says whose it is. */
export type SignatureFields = { readonly [SIGNATURE]: string; readonly [SIGNED_AT]: string };

/** Signs what a participant says: for the subject that it is said on, and the text, wherever that is kept. */
export interface Signer {
  sign(subject: string, text: string): SignatureFields;
}

/** `seed` is that of an NKey. Throws `OPTION_INVALID` for anything else. */
export function signerOf(seed: string): Signer {
  const { privateKey } = readSeed("signer", seed);
  return {
    sign(subject, text) {
      const at = String(Date.now());
      return {
        [SIGNATURE]: sign(null, statement(subject, at, text), privateKey).toString("base64"),
        [SIGNED_AT]: at,
      };
    },
  };
}

/** Whose signatures a worker knows. */
export class Signatures {
  readonly #keys = new Map<string, readonly KeyObject[]>();

  /** Public NKeys, by the name of the caller whose they are. */
  constructor(callers: Readonly<Record<string, { keys?: readonly string[] }>> = {}) {
    for (const [name, { keys }] of Object.entries(callers))
      if (keys !== undefined)
        this.#keys.set(
          name,
          keys.map((key) => readPublicNkey(`callers.${name}.keys`, key)),
        );
  }

  /** Whether anything that nobody signed is refused: as soon as one caller has a key. */
  get demanded(): boolean {
    return this.#keys.size > 0;
  }

  /** When a caller said this text on this subject, in epoch milliseconds. Throws `MalformedMessage` when it did not. */
  check(name: string, said: { subject: string; headers: MsgHdrs | undefined; text: string }): number {
    return this.#check(this.#keys.get(name) ?? [], name, said);
  }

  /** The same of any of the callers. */
  checkAny(said: { subject: string; headers: MsgHdrs | undefined; text: string }): number {
    return this.#check([...this.#keys.values()].flat(), "any caller", said);
  }

  #check(
    keys: readonly KeyObject[],
    name: string,
    { subject, headers, text }: { subject: string; headers: MsgHdrs | undefined; text: string },
  ): number {
    const fields = signatureIn(headers);
    if (fields === undefined) throw new MalformedMessage(`it is not signed, and must be signed by ${name}`);
    const { [SIGNATURE]: signature, [SIGNED_AT]: at } = fields;
    const said = statement(withoutAccount(subject), at, text);
    const bytes = Buffer.from(signature, "base64");
    if (/^\d{1,15}$/.test(at) && keys.some((key) => verify(null, said, key, bytes))) return Number(at);
    throw new MalformedMessage(`its signature is not that of ${name} for this subject and text`);
  }
}

/** The signature that came with a message, to be passed on with it. */
export function signatureIn(headers: MsgHdrs | undefined): SignatureFields | undefined {
  const signature = headers?.get(SIGNATURE) ?? "";
  const at = headers?.get(SIGNED_AT) ?? "";
  return signature === "" || at === "" ? undefined : { [SIGNATURE]: signature, [SIGNED_AT]: at };
}

/** Of a text of any length its hash is signed, so that one that is kept apart from its message is covered, too. */
function statement(subject: string, at: string, text: string): Buffer {
  const hash = createHash("sha256").update(text).digest("hex");
  return Buffer.from(`toolrig message 1\n${subject}\n${at}\n${hash}`);
}

/** The subject as it was published: an import adds the account. */
function withoutAccount(subject: string): string {
  return subject.replace(/\.from\.[^.]+$/, "");
}
