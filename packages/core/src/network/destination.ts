import { denied, validation } from "../failure/failure.ts";
import { check } from "../options/check.ts";
import { addressKind, isAddress, mappedIPv4 } from "./address.ts";

/** Hosts that may be reached although they are not public: "api.internal", "127.0.0.1:8080", "[::1]:8080". */
export type AllowedHosts = readonly { host: string; port: number | undefined }[];

/** Names that never leave this machine or house, and those of services that hand out credentials. */
const INNER_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;
const INNER_HOSTS: ReadonlySet<string> = new Set([
  "metadata",
  "instance-data",
  "ip6-localhost",
  "ip6-loopback",
]);
const MAX_URL = 8_192;

/** A place that was asked for and may be reached. */
export interface Destination {
  readonly url: URL;
  /** The host without brackets and without a dot at its end. */
  readonly host: string;
  readonly port: number;
  /** Whether the owner named it. */
  readonly allowed: boolean;
}

export function allowedHosts(given: readonly string[] = []): AllowedHosts {
  return check
    .strings("allow", given, 'a list of hosts such as "api.internal" or "127.0.0.1:8080"')
    .map((entry) => {
      const problem = () => check.invalid("allow", 'hosts such as "api.internal" or "127.0.0.1:8080"', entry);
      if (!URL.canParse(`http://${entry}/`) || entry.includes("*")) throw problem();
      const url = new URL(`http://${entry}/`);
      if (url.pathname !== "/" || url.username !== "" || url.search !== "" || url.hash !== "")
        throw problem();
      const port = /:(\d+)$/.exec(entry.replace(/^\[[^\]]*\]/, ""))?.[1];
      return { host: hostOf(url), port: port === undefined ? undefined : Number(port) };
    });
}

/** Reads a URL and judges all that can be judged by its text. Throws a failure that says why it may not be reached. */
export function destinationOf(text: string, allow: AllowedHosts, base?: URL): Destination {
  if (text.length > MAX_URL)
    throw validation(`The URL is ${text.length} characters long; at most ${MAX_URL} are possible.`);
  if (!URL.canParse(text, base))
    throw validation(`"${text.slice(0, 100)}" is not a URL; give one such as https://example.com/page.`);
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw denied(`Only http and https are fetched, not ${url.protocol.slice(0, 20)}`);
  if (url.username !== "" || url.password !== "")
    throw denied(
      "A URL with a user name or password is not fetched: what stands before the @ is not the host.",
    );
  const host = hostOf(url);
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const allowed = allow.some((each) => each.host === host && (each.port === undefined || each.port === port));
  if (!allowed) refuseInner(host, port);
  return { url, host, port, allowed };
}

function refuseInner(host: string, port: number): void {
  if (isAddress(host)) checkAddress(host, { host, allowed: false });
  else if (INNER_NAMES.test(host) || INNER_HOSTS.has(host) || host === "")
    throw denied(
      `${host} is a name of this machine or its network, which is not fetched unless it is allowed by name.`,
    );
  if (port < 1_024 && port !== 80 && port !== 443)
    throw denied(`Port ${port} is not one of web servers; only 80, 443 and those from 1024 are fetched.`);
}

/**
 * Judges an address that a host stands for. What the owner named may be anywhere in the house; link-local and reserved
 * addresses, such as those of cloud metadata, only if they are named themselves.
 */
export function checkAddress(
  address: string,
  { host, allowed }: Pick<Destination, "host" | "allowed">,
): void {
  const kind = addressKind(address);
  if (kind === "public") return;
  const itself = host === address || host === mappedIPv4(address);
  if (allowed && (kind === "inner" || itself)) return;
  const what = kind === "inner" ? "an address of this machine or its network" : "a reserved address";
  const shown = itself ? host : `${host} (${address})`;
  throw denied(`${shown} is ${what}, which is not fetched unless it is allowed by name.`);
}

function hostOf({ hostname }: URL): string {
  return hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.+$/, "")
    .toLowerCase();
}
