import { BlockList, isIPv4, isIPv6 } from "node:net";

/** What an address belongs to, for those that are not plainly part of the public internet. */
export type AddressKind = "public" | "inner" | "reserved";

function subnets(family: "ipv4" | "ipv6", lines: readonly string[]): BlockList {
  const list = new BlockList();
  for (const line of lines) {
    const [network = "", prefix] = line.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

/** This machine and the networks of a house: loopback, private, shared by a carrier, unique local. */
const INNER_4 = subnets("ipv4", [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
]);
const INNER_6 = subnets("ipv6", ["::1/128", "fc00::/7"]);

/** What no page lives at: unspecified, link-local with the metadata of clouds, tests, documentation, multicast, the future. */
const RESERVED_4 = subnets("ipv4", [
  "0.0.0.0/8",
  "169.254.0.0/16",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Metadata of clouds that stand in ranges of other kinds.
  "168.63.129.16/32",
  "100.100.100.200/32",
]);

/** Global unicast is 2000::/3; of it, what carries an IPv4 address inside or is set apart. All else is reserved. */
const GLOBAL_6 = subnets("ipv6", ["2000::/3"]);
const RESERVED_6 = subnets("ipv6", [
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "fd00:c1::a9fe:a9fe/128",
]);

/** Anything that is no address counts as reserved. */
export function addressKind(address: string): AddressKind {
  if (isIPv4(address)) {
    if (RESERVED_4.check(address)) return "reserved";
    return INNER_4.check(address) ? "inner" : "public";
  }
  if (!isIPv6(address)) return "reserved";
  const mapped = mappedIPv4(address);
  if (mapped !== undefined) return addressKind(mapped);
  if (RESERVED_6.check(address, "ipv6")) return "reserved";
  if (INNER_6.check(address, "ipv6")) return "inner";
  return GLOBAL_6.check(address, "ipv6") ? "public" : "reserved";
}

/** The IPv4 address that an IPv6 one stands for (`::ffff:0:0/96`), which is how a socket may tell it. */
export function mappedIPv4(address: string): string | undefined {
  if (!isIPv6(address)) return undefined;
  // The serialisation of a URL is the same for all spellings of an address.
  const canonical = new URL(`http://[${address.replace(/%.*$/, "")}]/`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [one >> 8, one & 255, two >> 8, two & 255].join(".");
}
