import { describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../../../scripts/growth.ts";
import { newId } from "../ids.ts";
import { Redactor } from "./redact.ts";

const redactor = new Redactor();

describe("by key", () => {
  test.each([
    "password",
    "PASSWORD",
    "api_key",
    "x-api-key",
    "apiKey",
    "client_secret",
    "Authorization",
    "github_token",
    "db.password",
    "aws_secret_access_key",
    "Set-Cookie",
    "credentials",
  ])("%s is secret, in a value and in text", (key) => {
    expect(redactor.value({ a: [{ [key]: "s3cr3t" }] })).toEqual({ a: [{ [key]: "[redacted]" }] });
    expect(redactor.text(JSON.stringify({ a: 1, [key]: 's3"cr3t', b: 2 }))).toBe(
      `{"a":1,"${key}":"[redacted]","b":2}`,
    );
  });

  test.each(["max_tokens", "tokens", "next_page_token", "secretary", "keyboard", "author"])(
    "%s is not",
    (key) => {
      expect(redactor.value({ [key]: "plain" })).toEqual({ [key]: "plain" });
      expect(redactor.text(`{"${key}":"plain"}`)).toBe(`{"${key}":"plain"}`);
    },
  );

  test("whatever the value is, unless there is none", () => {
    expect(redactor.value({ password: { deep: "x" }, token: 5, secret: null })).toEqual({
      password: "[redacted]",
      token: "[redacted]",
      secret: null,
    });
  });

  test.each([
    ["a query", "GET /v1?user=ada&api_key=abc123&page=2", "GET /v1?user=ada&api_key=[redacted]&page=2"],
    ["an environment file", "HOST=a\nDB_PASSWORD=hunter2\n", "HOST=a\nDB_PASSWORD=[redacted]\n"],
    ["JSON that was cut off", '{"password":"hunt', '{"password":"[redacted]'],
    ["a number", '{"token": 12345, "a": 1}', '{"token": [redacted], "a": 1}'],
    ["an escaped quote", '{"password":"a\\"b","c":1}', '{"password":"[redacted]","c":1}'],
    [
      "a key inside an object that is one",
      '{"credentials":{"password":"x"}}',
      '{"credentials":{"password":"[redacted]"}}',
    ],
    [
      "quotes in an environment file",
      `A="b c"\nDB_PASSWORD="hunter 2"\n`,
      `A="b c"\nDB_PASSWORD="[redacted]"\n`,
    ],
    [
      "JSON inside JSON",
      '{"a":"{\\"token\\":\\"x\\",\\"b\\":1}"}',
      '{"a":"{\\"token\\":\\"[redacted]\\",\\"b\\":1}"}',
    ],
    ["YAML", "db:\n  password: swordfish\n  port: 1", "db:\n  password: [redacted]\n  port: 1"],
    ["two headers in a line", "x Cookie: Authorization: a1b2c3d", "x Cookie: Authorization: [redacted]"],
    ["a header", "X-Api-Key: abc123\nAccept: x", "X-Api-Key: [redacted]\nAccept: x"],
    ["an option", "login --password swordfish -v", "login --password [redacted] -v"],
    ["a list", '{"passwords":["a","b"],"c":1}', '{"passwords":[[redacted]],"c":1}'],
    ["a YAML block", "password: |\n  a b\n  c\nuser: ada", "password: |\n  [redacted]\nuser: ada"],
    ["a YAML list", "passwords:\n- a\n- b\nuser: ada", "passwords:\n- [redacted]\n- [redacted]\nuser: ada"],
    ["a YAML name", "- name: DB_PASSWORD\n  value: a\n", "- name: DB_PASSWORD\n  value: [redacted]\n"],
    ["a typed variable", 'let password: string = "a";', 'let password: string = "[redacted]";'],
    ["a setter", 'x.setPassword("a");', 'x.setPassword("[redacted]");'],
    ["a definition", "define('DB_PASSWORD','a');", "define('DB_PASSWORD','[redacted]');"],
    ["a variable of a stage", "MY_PASSWORD_PROD=a\n", "MY_PASSWORD_PROD=[redacted]\n"],
    ["an encoded query", "x%3Ftoken%3Da%26b%3D1", "x%3Ftoken%3D[redacted]%26b%3D1"],
    ["an escaped key", '{"pass\\u0077ord":"a"}', '{"pass\\u0077ord":"[redacted]"}'],
    ["Markdown", "**Password:** a\n", "**Password:** [redacted]\n"],
    ["a name and its value", '{"name":"token","value":"x"}', '{"name":"token","value":"[redacted]"}'],
  ])("in the text of %s", (_name, text, expected) => {
    expect(redactor.text(text)).toBe(expected);
  });

  test("an option in a list of arguments", () => {
    expect(redactor.value({ args: ["login", "--password", "a", "--token", "-v"] })).toEqual({
      args: ["login", "--password", "[redacted]", "--token", "-v"],
    });
  });

  test("a name and its value, a list and a secret as a key, in a value", () => {
    expect(
      redactor.value({ env: [{ name: "DB_PASSWORD", value: "x" }], tokens: ["abc123x", "word"] }),
    ).toEqual({
      env: [{ name: "DB_PASSWORD", value: "[redacted]" }],
      tokens: ["[redacted]", "word"],
    });
    expect(redactor.value({ [`ghp_${"a1".repeat(18)}`]: 1 })).toEqual({ "[redacted]": 1 });
    const own = new Redactor();
    expect(own.value({ hunter22: 1 })).toEqual({ hunter22: 1 });
    own.register("hunter22");
    expect(own.value({ hunter22: 1 })).toEqual({ "[redacted]": 1 });
  });

  test("how many there are is no secret", () => {
    expect(redactor.value({ passwords: 3, hasPassword: true, usage: { tokens: 5 } })).toEqual({
      passwords: 3,
      hasPassword: true,
      usage: { tokens: 5 },
    });
  });

  test("keys can be added, compared without case and separators", () => {
    expect(new Redactor({ keys: ["Social-Security"] }).value({ social_security: "1" })).toEqual({
      social_security: "[redacted]",
    });
  });
});

describe("by shape", () => {
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIE".repeat(4_000)}\n-----END RSA PRIVATE KEY-----`;

  test.each([
    ["an API key", "use sk-abcdefghijklmnop1234 now"],
    ["a GitHub token", `ghp_${"a1".repeat(18)}`],
    ["a Slack token", "xoxb-1234567890-abcdef"],
    ["an AWS key", "AKIAIOSFODNN7EXAMPLE"],
    ["a JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"],
    ["a bearer header", "Authorization: Bearer abcdefghijklmnop"],
    ["a password in an address", "postgres://app:hunter22@db.example.com/x"],
    ["a private key of 16,000 characters", pem],
    ["a private key that was cut off", pem.slice(0, 9_000)],
    ["the end of a private key", `see:\n${pem.slice(-9_000)}`],
    ["the end of a private key in JSON", JSON.stringify({ a: pem.slice(-9_000) })],
  ])("%s", (_name, text) => {
    const clean = redactor.text(text);
    expect(clean).toContain("[redacted]");
    expect(clean).not.toMatch(/hunter22|MIIE|abcdefghijklmnop|IOSFODNN7|dozjg|xoxb-1/);
  });

  test("patterns can be added, global or not", () => {
    expect(new Redactor({ patterns: [/\bID-\d+/] }).text("ID-1 and ID-2")).toBe("[redacted] and [redacted]");
  });

  test("ordinary text stays as it is", () => {
    const text = "The token count is 5; ask the secretary: http://example.com:80/a?b=c@d";
    expect(redactor.text(text)).toBe(text);
  });
});

describe("behind an escape", () => {
  const key = `ghp_${"a1".repeat(18)}`;

  test.each([
    ["a key on a line", `$ cat key\n${key}\nend`],
    ["a key behind a tab", `key\t${key}`],
    ["a cookie", `Host: x\nCookie: session=s3cr3txyz9\nend`],
    ["a header with quotes", `Host: x\nAuthorization: Digest a="b", response="s3cr3txyz9"`],
    ["the password of a program", `cd x\ncurl -u "bob:s3cr3txyz9" https://x`],
    ["a row", `user\tbob\npassword\ts3cr3txyz9`],
    ["an option behind a tab", `mysql\t--password s3cr3txyz9`],
    ["a YAML block", `password: |\n  s3cr3txyz9\nuser: bob`],
    ["a setter", `a\nx.setPassword("s3cr3txyz9")`],
  ])("%s is removed from an object that is shown as text, and the text stays JSON", (_name, stdout) => {
    const expected = { stdout: redactor.text(stdout), code: 0 };
    expect(expected.stdout).not.toMatch(/ghp_a1|s3cr3txyz9/);
    const shown = JSON.stringify({ stdout, code: 0 });
    expect(JSON.parse(redactor.text(shown))).toEqual(expected);
    expect(redactor.text(`bad: ${JSON.stringify({ body: shown })}`)).not.toMatch(/ghp_a1|s3cr3txyz9/);
    expect(redactor.text(shown.slice(0, -11))).not.toMatch(/ghp_a1|s3cr3txyz9/);
  });

  test.each(["%20", "%3D", "\\u0022", "\\n", "\\\\t"])("%s, a key is one", (sign) => {
    expect(redactor.text(`a${sign}${key} b`)).toBe(`a${sign}[redacted] b`);
  });

  test("added patterns and secrets are found, too", () => {
    const own = new Redactor({ patterns: [/\bID-\d+/], values: ['two\n"lines"'] });
    expect(own.text(JSON.stringify({ a: "x\nID-1" }))).toBe('{"a":"x\\n[redacted]"}');
    expect(own.text(JSON.stringify({ a: 'two\n"lines"' }))).toBe('{"a":"[redacted]"}');
  });

  test("strings that hold no secret keep their spelling", () => {
    const text = '{ "a\\/b": "no \\u0070assword \\n here",  "c": 12345678901234567890, "token": 1 }';
    expect(redactor.text(text)).toBe(text.replace(": 1 ", ": [redacted] "));
  });
});

describe("by value", () => {
  test("registered secrets are removed wherever they stand, the longest first", () => {
    const own = new Redactor({ values: ["hunter2"] });
    own.register("hunter2-extended");
    expect(own.text("a hunter2-extended b hunter2 c")).toBe("a [redacted] b [redacted] c");
    expect(own.value({ note: ["hunter2"] })).toEqual({ note: ["[redacted]"] });
  });

  test("values that are too short to be told from words are ignored", () => {
    expect(new Redactor({ values: ["cat"] }).text("cat")).toBe("cat");
  });
});

test("what JSON would show as nothing is shown", () => {
  const value = {
    map: new Map([
      ["password", "x"],
      ["a", "b"],
    ]),
    set: new Set(["sk-abcdefghijklmnop1234"]),
    error: new Error("api_key=abc"),
    bytes: new Uint8Array(9),
  };
  expect(redactor.value(value)).toEqual({
    map: { password: "[redacted]", a: "b" },
    set: ["[redacted]"],
    error: "Error: api_key=[redacted]",
    bytes: "[9 bytes]",
  });
});

test("a copy is made of anything, and nothing is changed", () => {
  const loop: Record<string, unknown> = { n: 1n, f: () => 1, at: new Date(0) };
  loop.self = loop;
  Object.defineProperty(loop, "bad", { enumerable: true, get: () => undefined });
  expect(redactor.value(loop)).toEqual({
    n: "1",
    f: undefined,
    at: "1970-01-01T00:00:00.000Z",
    self: "[circular]",
    bad: undefined,
  });
  expect(redactor.value(JSON.parse('{"__proto__":{"polluted":true}}'))).toEqual(
    JSON.parse('{"__proto__":{"polluted":true}}'),
  );
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  let deep: unknown = "bottom";
  for (let level = 0; level < 10_000; level++) deep = { deep };
  expect(JSON.stringify(redactor.value(deep))).toContain("[too deep]");
  const hostile = {
    get password(): string {
      throw new Error("no");
    },
  };
  expect(redactor.value({ a: 1, hostile })).toEqual({ a: 1, hostile: "[unreadable]" });
});

/** For texts that make a careless pattern backtrack: 16 times the text costs 16 times the time, not 256 times. */
test.each([
  ["half a web token", "-eyJabcdefghijkl"],
  ["the beginnings of private keys", "-----BEGIN PRIVATE KEY-----"],
  ["open strings", '"password":"\\"'],
  ["colons and addresses", "://a:b"],
  ["keys without values", "password="],
  ["quotes", '"'],
  ["bearers", "Bearer "],
  ["options", "--password "],
  ["elements", "<password "],
  ["commands", "curl -u a:"],
  ["names and values", "'name':'password',"],
  ["escaped quotes", '\\\\\\"token\\\\\\":'],
  ["headers", "Cookie: a="],
  ["names of headers", "Cookie: "],
  ["names of headers, spelt in another way", "co_okie : "],
  ["schemes", "Authorization: Bearer "],
  ["names in one word", "tokens:"],
  ["names of lists", "passwords:[ "],
  ["half a token", "xoxb-"],
  ["the ends of private keys", "abc\n-----END PRIVATE KEY-----"],
  ["names of blocks", "  password: |\n   password:\n"],
  ["blocks of nothing", `password: |\n${"\n".repeat(50)}`],
  ["lines of spaces", `password:\n${" ".repeat(500)}a\n`],
  ["encoded queries", "%3Ftoken%3D"],
  ["sentences", 'token is "a""'],
  ["setters", 'setToken("'],
  ["types", "password: string | "],
  ["escaped keys", '"\\u0074'],
  ["variables", "TOKEN_A_"],
  ["fields of Markdown", "**token:** a"],
  ["escaped strings", '"token\\"'],
  ["backslashes", 'token"\\'],
])("takes time that grows with the text: %s", (_name, unit) => {
  const look = (size: number) => redactor.text(unit.repeat(Math.ceil(size / unit.length)));
  expect(growth(4_000, look)).toBeLessThan(LINEAR);
});

test("a secret behind an escape is found, as in JSON and addresses", () => {
  const key = "ghp_Ab3Cd5Ef7Gh9Jk1Lm3N0012QzAb3Cd5Ef7Gh9";
  const aws = "AKIAIOSFODNN7EXAMPLQ";
  const web = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
  const texts = [key, aws, web, "sk-proj-Ab3Cd5Ef7Gh9Jk1Lm3N0012Qz"].flatMap((secret) => [
    [secret, JSON.stringify({ stdout: `$ cat key\n${secret}\n` })],
    [secret, JSON.stringify({ row: `key\t${secret}` })],
    [secret, JSON.stringify({ inner: JSON.stringify({ b: `x\n${secret}` }) })],
    [secret, `a\\u0022${secret}`],
    [secret, `https://example.org/?q=key%20${secret}`],
  ]);
  texts.push(
    ["Zx81kQ", JSON.stringify({ stdout: "> GET /\nCookie: session=Zx81kQ; theme=dark" })],
    ["hunter2Zx9Qw7", JSON.stringify({ stdout: "user\tbob\npassword\thunter2Zx9Qw7" })],
    ["hunter2Zx", JSON.stringify({ stdout: "$ x\ncurl -u bob:hunter2Zx https://example.org" })],
  );
  const redactor = new Redactor();
  expect(texts.filter(([secret = "", text = ""]) => redactor.text(text).includes(secret))).toEqual([]);
  const kept = ["C:\\new\\task-list", "a\\nice text", "100%25 sk-learn-compatible-estimators"];
  expect(kept.map((text) => redactor.text(text))).toEqual(kept);
});

test.each(["Authorization: ", "Cookie: ", "-H Authorization: ", "authorization: a, "])(
  "a line of %s alone is looked through in linear time",
  (name) => {
    const look = (size: number) => redactor.text(name.repeat(size / name.length));
    expect(growth(4_000, look)).toBeLessThan(LINEAR);
  },
);

describe("by value and pattern", () => {
  const named = new Redactor({ values: ["4929123412341234", "abc/defghi77"], patterns: [/\b\d{9}\b/] });

  test("a number that is a secret is removed", () => {
    const given = { card: 4929123412341234, big: 4929123412341234n, customer: 123456789, amount: 1234 };
    expect(named.value(given)).toEqual({
      card: "[redacted]",
      big: "[redacted]",
      customer: "[redacted]",
      amount: 1234,
    });
  });

  test.each(["abc\\/defghi77", "\\u0061bc/defghi77"])(
    "a secret that JSON spells %s is removed",
    (spelling) => {
      expect(named.text(`{"x":"${spelling}","y":1}`)).toBe('{"x":"[redacted]","y":1}');
    },
  );

  test("an id holds a secret only in the part that a caller chose", () => {
    const digits = new Redactor({ patterns: [/\d{8}|[0-9a-f]{20}/] });
    expect(() => digits.refuseSecretId("runId", newId("exec"))).not.toThrow();
    expect(() => digits.refuseSecretId("runId", `${newId("run")}/${newId("exec")}`)).not.toThrow();
    expect(() => digits.refuseSecretId("runId", `key-12345678-${newId("exec")}`)).toThrow(
      "runId holds a secret",
    );
    expect(() => named.refuseSecretId("runId", "order abc/defghi77")).toThrow("runId holds a secret");
  });

  test("a named value is found as it stands in an address or a form", () => {
    const redactor = new Redactor({ values: ["p@ss w/rd"] });
    expect(redactor.text("https://x.example/?a=p%40ss%20w%2Frd&b=1 p%40ss+w%2Frd")).toBe(
      "https://x.example/?a=[redacted]&b=1 [redacted]",
    );
  });

  test("a boxed string is a string", () => {
    expect(new Redactor({ values: ["hunter2hunter2"] }).value(Object("hunter2hunter2"))).toBe("[redacted]");
  });

  test("the private part of a JSON web key is removed, also in text", () => {
    const key = {
      kty: "EC",
      crv: "P-256",
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
    };
    const shown = { ...key, d: "[redacted]" };
    expect(new Redactor().value(key)).toEqual(shown);
    expect(new Redactor().text(JSON.stringify(key))).toBe(JSON.stringify(shown));
  });

  test("an id that was taken is refused once its secret is registered", () => {
    const redactor = new Redactor();
    expect(() => redactor.refuseSecretId("runId", "order-amber-lantern")).not.toThrow();
    redactor.register("amber-lantern");
    expect(() => redactor.refuseSecretId("runId", "order-amber-lantern")).toThrow("runId holds a secret");
  });

  test("a principal stays the owner of a call, whatever pattern its id matches", () => {
    const redactor = new Redactor({ patterns: [/\S+@\S+/g] });
    redactor.register("amber-lantern");
    const principal = { id: "ann@shop.example", mail: "ann@shop.example", roles: ["desk"] };
    const record = {
      executionId: "e1",
      principal,
      approval: { by: principal },
      args: { to: "bob@shop.example" },
    };
    const kept = { id: "ann@shop.example", mail: "[redacted]", roles: ["desk"] };
    expect(redactor.fact(record)).toEqual({
      executionId: "e1",
      principal: kept,
      approval: { by: kept },
      args: { to: "[redacted]" },
    });
    expect(redactor.fact({ principal: { id: "key amber-lantern" } })).toEqual({
      principal: { id: "key [redacted]" },
    });
  });
});
