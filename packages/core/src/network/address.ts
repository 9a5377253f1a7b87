/** What an address belongs to, for those that are not plainly part of the public internet. */
export type AddressKind = "public" | "inner" | "reserved";

/** Addresses as numbers, which is what their ranges are. */
type Contains = (address: bigint) => boolean;

function subnets(
  read: (text: string) => bigint | undefined,
  bits: number,
  lines: readonly string[],
): Contains {
  const ranges = lines.map((line) => {
    const [network = "", prefix] = line.split("/");
    const shift = BigInt(bits - Number(prefix));
    return { shift, start: (read(network) ?? 0n) >> shift };
  });
  return (address) => ranges.some(({ shift, start }) => address >> shift === start);
}

const BYTE = "(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
const IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);

/** Only the one spelling that every reader understands alike: four decimal numbers without zeros before them. */
function ipv4(text: string): bigint | undefined {
  if (!IPV4.test(text)) return undefined;
  return text.split(".").reduce((all, byte) => (all << 8n) | BigInt(byte), 0n);
}

function ipv6(text: string): bigint | undefined {
  const bare = text.replace(/%[^/?#[\]]*$/, "");
  if (!/^[0-9a-f:.]+$/i.test(bare) || !bare.includes(":")) return undefined;
  // The serialisation of a URL is the same for all spellings of an address.
  const url = URL.canParse(`http://[${bare}]/`) ? new URL(`http://[${bare}]/`) : undefined;
  if (url === undefined) return undefined;
  const [head = "", tail] = url.hostname.slice(1, -1).split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const before = groups(head);
  const after = groups(tail ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce((all, group) => (all << 16n) | BigInt(`0x${group}`), 0n);
}

/** Whether a host is an address rather than a name. */
export function isAddress(host: string): boolean {
  return ipv4(host) !== undefined || ipv6(host) !== undefined;
}

/** This machine and the networks of a house: loopback, private, shared by a carrier, unique local. */
const INNER_4 = subnets(ipv4, 32, [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
]);
const INNER_6 = subnets(ipv6, 128, ["::1/128", "fc00::/7"]);

/** What no page lives at: unspecified, link-local with the metadata of clouds, tests, documentation, multicast, the future. */
const RESERVED_4 = subnets(ipv4, 32, [
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
const GLOBAL_6 = subnets(ipv6, 128, ["2000::/3"]);
const RESERVED_6 = subnets(ipv6, 128, [
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
  const four = ipv4(address);
  if (four !== undefined) return kindOf4(four);
  const six = ipv6(address);
  if (six === undefined) return "reserved";
  if (isMapped(six)) return kindOf4(six & 0xffffffffn);
  if (RESERVED_6(six)) return "reserved";
  if (INNER_6(six)) return "inner";
  return GLOBAL_6(six) ? "public" : "reserved";
}

function kindOf4(address: bigint): AddressKind {
  if (RESERVED_4(address)) return "reserved";
  return INNER_4(address) ? "inner" : "public";
}

/** The IPv4 address that an IPv6 one stands for (`::ffff:0:0/96`), which is how a socket may tell it. */
export function mappedIPv4(address: string): string | undefined {
  const six = ipv6(address);
  if (six === undefined || !isMapped(six)) return undefined;
  return [24n, 16n, 8n, 0n].map((shift) => (six >> shift) & 255n).join(".");
}

function isMapped(address: bigint): boolean {
  return address >> 32n === 0xffffn;
}
