import { BlockList, isIPv4, isIPv6 } from "node:net";
import { describe, expect, test } from "vitest";
import { addressKind, isAddress, mappedIPv4 } from "./address.ts";

test.each([
  ["1.1.1.1", "public"],
  ["127.0.0.1", "inner"],
  ["127.255.255.254", "inner"],
  ["10.0.0.1", "inner"],
  ["172.15.255.255", "public"],
  ["172.16.0.0", "inner"],
  ["172.32.0.0", "public"],
  ["192.168.1.1", "inner"],
  ["100.64.0.1", "inner"],
  ["100.100.100.200", "reserved"],
  ["169.254.169.254", "reserved"],
  ["0.0.0.0", "reserved"],
  ["255.255.255.255", "reserved"],
  ["::1", "inner"],
  ["::", "reserved"],
  ["fd12::1", "inner"],
  ["fd00:ec2::254", "reserved"],
  ["fe80::1", "reserved"],
  ["fe80::1%eth0", "reserved"],
  ["2606:4700:4700::1111", "public"],
  ["2001:db8::1", "reserved"],
  ["2002:7f00:1::", "reserved"],
  ["::ffff:127.0.0.1", "inner"],
  ["::ffff:7f00:1", "inner"],
  ["::ffff:8.8.8.8", "public"],
  ["127.1", "reserved"],
  ["0177.0.0.1", "reserved"],
  ["example.com", "reserved"],
  ["", "reserved"],
])("%s is %s", (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});

test("an IPv4 address inside an IPv6 one is found in every spelling", () => {
  for (const spelling of ["::ffff:127.0.0.1", "::FFFF:7f00:0001", "0:0:0:0:0:ffff:7f00:1"])
    expect(mappedIPv4(spelling)).toBe("127.0.0.1");
  expect(mappedIPv4("::1")).toBeUndefined();
  expect(mappedIPv4("127.0.0.1")).toBeUndefined();
});

describe("what is read as an address agrees with the platform", () => {
  const texts = [
    "1.2.3.4",
    "01.2.3.4",
    "1.2.3",
    "1.2.3.256",
    "::",
    "1::2::3",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7",
  ];
  test.each([...texts, "::1.2.3.4", "g::1", "[::1]", "::1/64", "1:2:3:4:5:6:7:8:9", "a.b"])("%s", (text) => {
    expect(isAddress(text)).toBe(isIPv4(text) || isIPv6(text));
  });

  test("and ranges do for many addresses", () => {
    const loopback = new BlockList();
    loopback.addSubnet("172.16.0.0", 12, "ipv4");
    for (let value = 0; value < 65_536; value += 97) {
      const address = `172.${value >> 8}.${value & 255}.7`;
      expect(addressKind(address) === "inner", address).toBe(loopback.check(address));
    }
  });
});
