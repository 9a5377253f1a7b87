import type { Frozen, FrozenState } from "./messages.ts";
import type { Wasm } from "./wasm.ts";

/**
 * A paused run as bytes: what it is (12 bytes), the length of its head (4 bytes), the head (JSON), the engine's memory
 * (compressed), a seal over all of that (32 bytes). The seal is an HMAC where there is a key, and a plain hash otherwise: that
 * finds damage, not forgery.
 */
const MAGIC = "toolrig-vm-1";
const SEAL_BYTES = 32;
const BEGIN = MAGIC.length + 4;

/** Read in one go by the host: what waits must not be so much that this takes long. */
const MAX_HEAD = 1_000_000;

interface Head {
  engine: string;
  boundTo: string;
  state: FrozenState;
}

export type Opened = { readonly frozen: Frozen } | { readonly refused: string };

/** Undefined where it would be too large. */
export async function sealSnapshot(
  { memory, state }: Frozen,
  { id }: Wasm,
  boundTo: string,
  key: string | undefined,
  mostBytes: number,
): Promise<Uint8Array | undefined> {
  const head = Buffer.from(JSON.stringify({ engine: id, boundTo, state } satisfies Head));
  const bytes = BEGIN + head.length + memory.length + SEAL_BYTES;
  if (head.length > MAX_HEAD || bytes > mostBytes) return undefined;
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const sealed = Buffer.concat([Buffer.from(MAGIC), length, head, memory]);
  return Buffer.concat([sealed, new Uint8Array(await sealOf(sealed, key))]);
}

/** A snapshot, if it is whole, sealed with this key, bound to this and made by this engine. */
export async function openSnapshot(
  snapshot: Uint8Array,
  { id, mostBytes }: Wasm,
  boundTo: string,
  key: string | undefined,
): Promise<Opened> {
  const bytes = Buffer.from(snapshot);
  if (bytes.length < BEGIN + SEAL_BYTES || bytes.toString("latin1", 0, MAGIC.length) !== MAGIC)
    return { refused: "It is no snapshot of a sandbox." };
  const sealed = bytes.subarray(0, -SEAL_BYTES);
  if (!(await isSealed(sealed, bytes.subarray(-SEAL_BYTES), key)))
    return {
      refused: `It was changed, cut off, or sealed ${key === undefined ? "with a" : "with another or no"} key.`,
    };
  const memoryAt = BEGIN + bytes.readUInt32LE(MAGIC.length);
  if (memoryAt > BEGIN + MAX_HEAD) return { refused: "Its head is too long." };
  const { engine, boundTo: owner, state } = JSON.parse(bytes.toString("utf8", BEGIN, memoryAt)) as Head;
  if (owner !== boundTo) return { refused: "It belongs to something else." };
  if (engine !== id)
    return { refused: "Another version of the engine made it, and only that one can go on with it." };
  if (state.bytes > mostBytes) return { refused: "It holds more memory than this sandbox allows." };
  return { frozen: { type: "frozen", memory: new Uint8Array(sealed.subarray(memoryAt)), state } };
}

/** Both off the event loop's thread. */
async function sealOf(bytes: Uint8Array<ArrayBuffer>, key: string | undefined): Promise<ArrayBuffer> {
  return key === undefined
    ? await crypto.subtle.digest("SHA-256", bytes)
    : await crypto.subtle.sign("HMAC", await imported(key), bytes);
}

async function isSealed(
  bytes: Uint8Array<ArrayBuffer>,
  seal: Uint8Array<ArrayBuffer>,
  key: string | undefined,
): Promise<boolean> {
  if (key !== undefined) return await crypto.subtle.verify("HMAC", await imported(key), seal, bytes);
  return Buffer.compare(seal, new Uint8Array(await sealOf(bytes, undefined))) === 0;
}

function imported(key: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(key);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}
