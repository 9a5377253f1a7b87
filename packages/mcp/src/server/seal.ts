import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

const PREFIX = "t1.";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * What goes through a client and must come back as it was: encrypted and authenticated, with the moment from which on it does
 * not count. `opens` never throws; what was changed, is too old or was sealed by somebody else is undefined.
 */
export interface Seal {
  close(value: unknown, expiresAt: number): string;
  open(sealed: string): unknown;
  /** A short proof that this server has named `text`, for whoever `text` names. */
  mark(text: string): string;
  isMark(mark: string, text: string): boolean;
}

/** Of processes that serve the same clients, all must have the same secret. Default: a new one, for this process. */
export function sealWith(secret: string | Uint8Array = randomBytes(32), now: () => number = Date.now): Seal {
  const keyFor = (use: string) => Buffer.from(hkdfSync("sha256", secret, "", `toolrig mcp ${use}`, 32));
  const sealKey = keyFor("state");
  const markKey = keyFor("mark");
  const markOf = (text: string) => createHmac("sha256", markKey).update(text).digest().subarray(0, 18);
  return {
    close(value, expiresAt) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealKey, iv);
      const body = [cipher.update(JSON.stringify([expiresAt, value]), "utf8"), cipher.final()];
      return PREFIX + Buffer.concat([iv, ...body, cipher.getAuthTag()]).toString("base64url");
    },
    open(sealed) {
      try {
        const bytes = exactBytes(sealed);
        const decipher = createDecipheriv("aes-256-gcm", sealKey, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const body = bytes.subarray(IV_BYTES, -TAG_BYTES);
        const text = Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
        const [expiresAt, value] = JSON.parse(text) as [number, unknown];
        return now() < expiresAt ? value : undefined;
      } catch {
        return undefined;
      }
    },
    mark: (text) => markOf(text).toString("base64url"),
    isMark(mark, text) {
      const given = Buffer.from(mark, "base64url");
      const right = markOf(text);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

/** Base64 is read leniently by Node: only the one spelling of the bytes is the text that was handed out. */
function exactBytes(sealed: string): Buffer {
  if (!sealed.startsWith(PREFIX)) throw new Error("not sealed here");
  const bytes = Buffer.from(sealed.slice(PREFIX.length), "base64url");
  if (bytes.length < IV_BYTES + TAG_BYTES || PREFIX + bytes.toString("base64url") !== sealed)
    throw new Error("not sealed here");
  return bytes;
}
