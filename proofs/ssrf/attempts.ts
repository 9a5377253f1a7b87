import type { Scene, Seen, Tricks } from "./scene.ts";

export interface Attempt extends Tricks {
  name: string;
  url: string;
  /** Whether it may be reached: without such the proof could not fail. */
  reaches?: true;
  /** Addresses to which a connection may be attempted. */
  mayAttempt?: readonly string[];
  /** What else must hold. Answers with what does not. */
  also?(seen: Seen): string | undefined;
}

/** An address of the public internet, to which nothing is ever sent. */
const PUBLIC = "93.184.215.14";

const HOSTS: readonly string[] = [
  // This machine, as numbers are written.
  ..."127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.0x0.0x0.0x1 017700000001 0177.0.0.1 127.0.0.1.".split(
    " ",
  ),
  ..."127.255.255.254 0 0.0.0.0 0x0 00000".split(" "),
  // As other characters.
  "１２７.０.０.１",
  "127。0。0。1",
  "①②⑦.⓪.⓪.①",
  "%31%32%37.0.0.1",
  "127.0.0\t.1",
  // In IPv6, mapped, compatible, translated, tunnelled.
  ..."[::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:FFFF:127.0.0.1]".split(" "),
  ..."[::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [2002:7f00:1::1]".split(
    " ",
  ),
  ..."[2001:0:7f00:1::1] [fe80::1] [fec0::1] [fc00::1] [fd12:3456::1] [ff02::1] [2001:db8::1] [100::1]".split(
    " ",
  ),
  // Names.
  ..."localhost LOCALHOST localhost. localhost.. a.localhost ip6-localhost printer.local db.internal".split(
    " ",
  ),
  ..."router.lan nas.home server.corp host.home.arpa api.default.svc.cluster.local".split(" "),
  // The networks of a house.
  ..."10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 10.1 3232235521".split(" "),
  // What hands out credentials.
  ..."169.254.169.254 2852039166 0xa9fea9fe 169.254.43518 [::ffff:169.254.169.254] [fd00:ec2::254]".split(
    " ",
  ),
  ..."metadata.google.internal metadata.google.internal. metadata instance-data 168.63.129.16".split(" "),
  ..."100.100.100.200 192.0.0.192 [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::]".split(" "),
  // What nobody lives at.
  ..."224.0.0.1 239.255.255.250 255.255.255.255 240.0.0.1 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1".split(
    " ",
  ),
];

function forms(port: number): Attempt[] {
  const plain = HOSTS.map((host) => ({
    name: `http://${host.replace("\t", "\\t")}`,
    url: `http://${host}:${port}/`,
  }));
  const odd: readonly (readonly [string, string])[] = [
    ["a user name before the @", `http://example.com@127.0.0.1:${port}/`],
    ["a user name and a password", `http://a:b@127.0.0.1:${port}/`],
    ["an encoded @", `http://example.com%40127.0.0.1:${port}/`],
    ["a hash before the @", `http://127.0.0.1:${port}#@example.com/`],
    ["a backslash", `http:\\\\127.0.0.1:${port}\\`],
    ["a backslash before the @", `http://127.0.0.1:${port}\\@example.com/`],
    ["no slashes", `http:127.0.0.1:${port}`],
    ["three slashes", `http:///127.0.0.1:${port}/`],
    ["upper case", `HTTP://LOCALHOST:${port}/`],
    ["white space around", ` \n http://127.0.0.1:${port}/ `],
    ["a line within the scheme", `ht\ntp://127.0.0.1:${port}/`],
    ["https", `https://127.0.0.1:${port}/`],
    ["a file", "file:///etc/passwd"],
    ["a file of another host", "file://127.0.0.1/etc/passwd"],
    ["gopher", `gopher://127.0.0.1:${port}/_GET%20/`],
    ["ftp", `ftp://127.0.0.1:${port}/`],
    ["data", "data:text/plain,hello"],
    ["javascript", "javascript:alert(1)"],
    ["a web socket", `ws://127.0.0.1:${port}/`],
    ["a view of a page", `view-source:http://127.0.0.1:${port}/`],
    ["a public host and the port of mail", `http://${PUBLIC}:25/`],
    ["a public host and the port of a shell", `http://${PUBLIC}:22/`],
    ["an address with a zone", `http://[fe80::1%25eth0]:${port}/`],
    ["a URL without end", `http://127.0.0.1:${port}/${"x".repeat(100_000)}`],
  ];
  return [...plain, ...odd.map(([name, url]) => ({ name, url }))];
}

function names(port: number): Attempt[] {
  const to = (what: string, ...addresses: string[]): Attempt => ({
    name: `a name that stands for ${what}`,
    url: `http://innocent.example:${port}/`,
    resolve: () => addresses,
  });
  return [
    to("this machine", "127.0.0.1"),
    to("this machine in IPv6", "::1"),
    to("this machine, mapped", "::ffff:127.0.0.1"),
    to("this machine, translated", "64:ff9b::7f00:1"),
    to("any address", "0.0.0.0"),
    to("the house", "192.168.1.1"),
    to("metadata", "169.254.169.254"),
    to("metadata in IPv6", "fd00:ec2::254"),
    to("metadata of another cloud in IPv6", "fd20:ce::254"),
    to("metadata of a third cloud in IPv6", "fd00:c1::a9fe:a9fe"),
    to("a public address and this machine", PUBLIC, "127.0.0.1"),
    to("this machine and a public address", "127.0.0.1", PUBLIC),
    to("no address at all", "not-an-address"),
    to("nothing"),
    { ...to("this machine, for who sends"), resolve: () => ["127.0.0.1"], tool: "send_request" },
  ];
}

function rebinding(port: number): Attempt[] {
  const url = `http://rebind.example:${port}/`;
  const once = ({ lookups }: Seen) => (lookups === 1 ? undefined : `it was looked up ${lookups} times`);
  const later = (time: number) => (time === 1 ? [PUBLIC] : ["127.0.0.1"]);
  return [
    {
      name: "public when judged, this machine when connected",
      url,
      resolve: (_, time) => later(time),
      mayAttempt: [PUBLIC],
      also: once,
    },
    {
      name: "the same for who sends",
      url,
      tool: "send_request",
      resolve: (_, time) => later(time),
      mayAttempt: [PUBLIC],
      also: once,
    },
    {
      name: "two public addresses that refuse, then this machine",
      url,
      resolve: (_, time) => (time === 1 ? [PUBLIC, "93.184.215.15"] : ["127.0.0.1"]),
      mayAttempt: [PUBLIC, "93.184.215.15"],
      also: once,
    },
    {
      name: "a connection that leads elsewhere",
      url,
      resolve: () => [PUBLIC],
      divert: true,
      mayAttempt: [PUBLIC],
      also: ({ bytes }) => (bytes === 0 ? undefined : `${bytes} bytes were written`),
    },
    {
      name: "a secure connection that leads elsewhere",
      url: `https://rebind.example:${port}/`,
      resolve: () => [PUBLIC],
      divert: true,
      mayAttempt: [PUBLIC],
      also: ({ bytes }) => (bytes === 0 ? undefined : `${bytes} bytes were written`),
    },
  ];
}

function redirects(scene: Scene): Attempt[] {
  const { housePort: port, frontPort } = scene;
  const locations: readonly string[] = [
    `http://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://localhost:${port}/`,
    `http://innocent.example:${port}/`,
    `http://front@127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`,
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "file:///etc/passwd",
    `gopher://127.0.0.1:${port}/`,
    "data:text/plain,hello",
    "/twice",
  ];
  scene.redirects.set("/twice", { status: 302, location: `http://127.1:${port}/` });
  const followed = locations.map((location, index): Attempt => {
    scene.redirects.set(`/${index}`, { status: [301, 302, 303, 307, 308][index % 5] ?? 302, location });
    return { name: `a redirect to ${location}`, url: `http://127.0.0.1:${frontPort}/${index}` };
  });
  scene.redirects.set("/rebind", { status: 302, location: `http://rebind.example:${port}/` });
  scene.redirects.set("/search?q=x&format=json", { status: 302, location: `http://127.0.0.1:${port}/` });
  return [
    ...followed,
    {
      name: "a redirect to a name that is another address later",
      url: `http://127.0.0.1:${frontPort}/rebind`,
      resolve: (_, time) => (time === 1 ? [PUBLIC] : ["127.0.0.1"]),
      mayAttempt: [PUBLIC],
    },
    { name: "a redirect of what was sent", url: `http://127.0.0.1:${frontPort}/3`, tool: "send_request" },
    {
      name: "a search engine that redirects",
      url: "",
      tool: "web_search",
      endpoint: `http://127.0.0.1:${frontPort}`,
    },
  ];
}

function allowing({ housePort: port, frontPort }: Scene): Attempt[] {
  return [
    { name: "another port of an allowed host", url: `http://127.0.0.1:${port}/`, allow: ["127.0.0.1:9"] },
    { name: "another name of an allowed address", url: `http://localhost:${port}/`, allow: ["127.0.0.1"] },
    {
      name: "an allowed name that stands for metadata",
      url: "http://api.internal/",
      allow: ["api.internal"],
      resolve: () => ["169.254.169.254"],
    },
    { name: "a name below an allowed one", url: `http://x.api.internal:${port}/`, allow: ["api.internal"] },
    { name: "the front, which is allowed", url: `http://127.0.0.1:${frontPort}/`, reaches: true },
    {
      name: "this machine, allowed by address",
      url: `http://127.1:${port}/`,
      allow: ["127.0.0.1"],
      reaches: true,
    },
    {
      name: "this machine, allowed by name",
      url: `http://api.internal:${port}/`,
      allow: ["api.internal"],
      resolve: () => ["127.0.0.1"],
      reaches: true,
    },
  ];
}

export function attemptsOn(scene: Scene): Attempt[] {
  const { housePort } = scene;
  return [
    ...forms(housePort),
    ...names(housePort),
    ...rebinding(housePort),
    ...redirects(scene),
    ...allowing(scene),
  ];
}
