import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { nkeys } from "@nats-io/transport-node";
import { check } from "@toolrig/core/kit";

/** What a PKCS #8 and an SPKI document of an Ed25519 key begin with; the key's 32 bytes follow. */
const PRIVATE = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC = Buffer.from("302a300506032b6570032100", "hex");
const KEY_BYTES = 32;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The keys of the seed of an NKey, `SU…`. Throws `OPTION_INVALID` for anything else, and never shows what it was given. */
export function readSeed(field: string, seed: string): { publicKey: string; privateKey: KeyObject } {
  try {
    const publicKey = nkeys.fromSeed(Buffer.from(seed)).getPublicKey();
    const raw = decode(seed).subarray(2, 2 + KEY_BYTES);
    const der = Buffer.concat([PRIVATE, raw]);
    return { publicKey, privateKey: createPrivateKey({ key: der, format: "der", type: "pkcs8" }) };
  } catch {
    throw check.invalid(field, "the seed of an NKey, SU…", "something else");
  }
}

/** The public NKey of a participant, `U…`. Throws `OPTION_INVALID` for anything else. */
export function readPublicNkey(field: string, key: string): KeyObject {
  try {
    nkeys.fromPublic(key);
    const raw = decode(key).subarray(1, 1 + KEY_BYTES);
    return createPublicKey({ key: Buffer.concat([PUBLIC, raw]), format: "der", type: "spki" });
  } catch {
    throw check.invalid(field, "a public NKey, U…", key);
  }
}

/** Base32 without padding, as NKeys are written. */
function decode(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) throw new RangeError("not base32");
    value = ((value << 5) | digit) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
