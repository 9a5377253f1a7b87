import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { Executor, type ToolResult } from "@toolrig/core";
import { beforeEach, describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../../../scripts/growth.ts";
import { type Scene, scene } from "../../test/scene.ts";
import { querySqlite } from "./query-sqlite.ts";
import { readJson } from "./read-json.ts";
import { problemIn } from "./sql-statement.ts";

let here: Scene;
beforeEach(() => {
  here = scene();
  here.use(querySqlite({ roots: here.root }), readJson({ roots: here.root }));
});

/** How long a call may take before it is ended, on a machine that is slow, too. */
const DEADLINE = 3_000;

async function ended(name: string, args: Record<string, unknown>): Promise<string | undefined> {
  const tools = [querySqlite({ roots: here.root }), readJson({ roots: here.root })];
  const executor = new Executor({ tools, timeout: DEADLINE });
  const signal = AbortSignal.timeout(DEADLINE);
  return (await executor.call({ id: "call", name, arguments: args }, { signal })).failure?.kind;
}

/** Processes that this one has started and that are still there. */
function children(): string {
  return execFileSync("ps", ["--ppid", String(process.pid), "-o", "args="], { encoding: "utf8" });
}

describe("query_sqlite", () => {
  beforeEach(() => {
    const database = new DatabaseSync(join(here.root, "a.db"));
    database.exec(`CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, photo BLOB, big INTEGER);
      INSERT INTO person VALUES (1, 'Ada', x'00ff', 9007199254740993), (2, 'Bob' || char(10) || 'x', NULL, 2.5)`);
    database.close();
  });
  const query = (sql: string, more: object = {}) =>
    here.value("query_sqlite", { path: "a.db", sql, ...more });

  test("gives rows, in both formats", async () => {
    expect(await query("SELECT * FROM person")).toEqual({
      columns: ["id", "name", "photo", "big"],
      rows: [
        [1, "Ada", "x'00ff' (2 bytes)", "9007199254740993"],
        [2, "Bob\nx", null, 2.5],
      ],
      more: false,
    });
    const args = { path: "a.db", sql: "SELECT id, id AS id, name FROM person ORDER BY id DESC", limit: 1 };
    expect(await here.text("query_sqlite", args)).toBe(
      'The first 1 row; there are more, go on with {"skip":1}:\nid | id | name\n2 | 2 | Bob\\u{a}x',
    );
    expect(JSON.parse(await here.text("query_sqlite", { ...args, output: "json" }))).toMatchObject({
      more: true,
    });
  });

  test("reads by way of everything that SQLite has for reading", async () => {
    const database = new DatabaseSync(join(here.root, "a.db"));
    database.exec("CREATE VIRTUAL TABLE text USING fts5(body); INSERT INTO text VALUES ('hello world')");
    database.close();
    const answers = await Promise.all(
      [
        "SELECT name FROM pragma_table_info('person') WHERE pk",
        "SELECT value FROM json_each('[1]')",
        "SELECT body FROM text WHERE text MATCH 'hello'",
        "EXPLAIN QUERY PLAN SELECT * FROM person",
        "SELECT group_concat(name, '') OVER (ORDER BY id) FROM person LIMIT 1",
        "VALUES (1)",
      ].map((sql) => query(sql)),
    );
    expect(answers.map(({ rows }) => (rows as unknown[]).length)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test("takes parameters", async () => {
    expect(
      await query("SELECT name FROM person WHERE id = ? AND ?", { parameters: [1, true] }),
    ).toMatchObject({
      rows: [["Ada"]],
    });
    expect(await query("SELECT :name AS x", { parameters: { name: "'; DROP TABLE person" } })).toMatchObject({
      rows: [["'; DROP TABLE person"]],
    });
  });

  test.each([
    "DELETE FROM person",
    "WITH x AS (SELECT 1) DELETE FROM person",
    "SELECT 1; DELETE FROM person",
    "ATTACH 'other.db' AS o",
    "/* x */ ATTACH 'other.db' AS o",
    "VACUUM INTO 'copy.db'",
    "PRAGMA writable_schema = 1",
    "SELECT load_extension('x')",
    "INSERT INTO person(name) VALUES ('x') RETURNING id",
    "EXPLAIN",
    "",
    "SELECT * FROM nowhere",
  ])("%s is refused", async (sql) => {
    expect((await here.refusal("query_sqlite", { path: "a.db", sql })).kind).toBe("validation");
    expect(readdirSync(here.root)).toEqual(["a.db"]);
    expect(await query("SELECT count(*) FROM person")).toMatchObject({ rows: [[2]] });
  });

  test("a query without end is ended, and so is its process", async () => {
    const endless = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r";
    expect(await ended("query_sqlite", { path: "a.db", sql: endless })).toMatch(/timeout|cancelled/);
    await expect.poll(children).not.toContain("query-child");
  });

  test.runIf(process.platform === "linux")("a statement that takes too much memory is refused", async () => {
    for (const sql of ["SELECT length(randomblob(800000000))", "SELECT printf('%.*c', 900000000, 'x')"])
      expect((await here.refusal("query_sqlite", { path: "a.db", sql })).message).toContain("more memory");
    expect(await query("SELECT length(randomblob(100000000)) AS n")).toMatchObject({ rows: [[100_000_000]] });
  });

  test("stops where there is too much", async () => {
    const many =
      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x, hex(zeroblob(5000)) FROM r";
    const answer = await query(many, { limit: 10_000 });
    expect(answer).toMatchObject({ more: true });
    expect(JSON.stringify(answer).length).toBeLessThan(1_100_000);
  });

  test("opens nothing outside, and no file that is no database", async () => {
    symlinkSync("../outside/secret.txt", join(here.root, "out.db"));
    here.put("text.db", "no database at all, but a long enough text to look at");
    expect((await here.refusal("query_sqlite", { path: "out.db", sql: "SELECT 1" })).kind).toBe("denied");
    expect((await here.refusal("query_sqlite", { path: "text.db", sql: "SELECT * FROM x" })).kind).toBe(
      "validation",
    );
    symlinkSync("../outside/new", join(here.root, "a.db-wal"));
    expect((await here.refusal("query_sqlite", { path: "a.db", sql: "SELECT 1" })).kind).toBe("denied");
    expect(existsSync(join(here.outside, "new"))).toBe(false);
  });

  test("what only the log of a database has is read, and nothing is left beside it", async () => {
    const owner = new DatabaseSync(join(here.root, "wal.db"));
    owner.exec("PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES ('in the log')");
    const before = readdirSync(here.root);
    const ask = { path: "wal.db", sql: "SELECT a FROM t" };
    expect(await here.value("query_sqlite", ask)).toMatchObject({ rows: [["in the log"]] });
    expect(readdirSync(here.root)).toEqual(before);
    owner.close();
    expect(readdirSync(here.root)).toEqual(["a.db", "wal.db"]);
    expect(await here.value("query_sqlite", ask)).toMatchObject({ rows: [["in the log"]] });
    expect(readdirSync(here.root)).toEqual(["a.db", "wal.db"]);
  });

  test("a log that appears at the path while its folder is a link outside is not read", async () => {
    const [inside, outside] = [here.root, here.outside].map((folder) => {
      mkdirSync(join(folder, "d"));
      const database = new DatabaseSync(join(folder, "d/w.db"));
      database.exec("PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES ('inside')");
      return database;
    });
    inside?.close();
    outside?.exec("UPDATE t SET a = 'outside'");
    const [place, aside] = [join(here.root, "d"), join(here.root, "aside")];
    const calls: Promise<ToolResult>[] = [];
    for (let round = 0; round < 12; round++)
      calls.push(here.call("query_sqlite", { path: "d/w.db", sql: "SELECT a FROM t" }));
    let over = false;
    const all = Promise.all(calls).finally(() => {
      over = true;
    });
    while (!over) {
      renameSync(place, aside);
      symlinkSync("../outside/d", place);
      await setImmediate();
      unlinkSync(place);
      renameSync(aside, place);
      await setImmediate();
    }
    expect(JSON.stringify(await all)).not.toMatch(/"outside"/);
    outside?.close();
  });

  test("a database that is being changed is not read halfway", async () => {
    const owner = new DatabaseSync(join(here.root, "a.db"));
    owner.exec("PRAGMA cache_size = 1; BEGIN; UPDATE person SET name = 'Eve'; CREATE TABLE big (a)");
    owner.exec(
      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 2000) INSERT INTO big SELECT zeroblob(2000) FROM r",
    );
    expect((await here.refusal("query_sqlite", { path: "a.db", sql: "SELECT 1" })).message).toContain(
      "is being changed",
    );
    owner.exec("COMMIT");
    owner.close();
    expect(await query("SELECT name FROM person WHERE id = 1")).toMatchObject({ rows: [["Eve"]] });
  });

  test.each(["[", "'", '"', "`", "/*", "['"])("a statement of many %s takes no time", (sign) => {
    expect(growth(3_000, (size) => problemIn(`SELECT ${sign.repeat(size)}`))).toBeLessThan(LINEAR);
  });

  test("only what begins as reading is one statement that reads", () => {
    for (const sql of [
      "select 1",
      " -- x\nWITH a AS (SELECT ';')SELECT 1 ;",
      "VALUES (1) /* ; drop */",
      "SELECT ';' ; -- x",
    ])
      expect(problemIn(sql)).toBeUndefined();
    for (const sql of ["; DELETE FROM a", "SELECT 1;;SELECT 2", "'x'", "--", "/* SELECT"])
      expect(problemIn(sql)).toBeDefined();
  });
});

test("what could hide in values and keys is spelt out", async () => {
  here.put("x.json", '{"a\u202e":["\u009b31m","\u{e0041}"]}');
  const [pointed, queried, json] = await Promise.all([
    here.text("read_json", { path: "x.json" }),
    here.text("read_json", { path: "x.json", query: "$.*" }),
    here.text("read_json", { path: "x.json", output: "json" }),
  ]);
  for (const text of [pointed, queried, json])
    expect(text).not.toMatch(/[\u009b\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u);
  expect(JSON.parse(pointed)).toEqual({ "a\u202e": ["\u009b31m", "\u{e0041}"] });
  expect(queried).toContain(String.raw`/a\u{202e}: ["\u009b31m","\udb40\udc41"]`);
});

describe("read_json", () => {
  const document = {
    users: [
      { name: "Ada", age: 36 },
      { name: "Bob", age: 20 },
    ],
    "a/b": { "m~n": 1 },
  };
  beforeEach(() => here.put("a.json", `\ufeff${JSON.stringify(document)}`));
  const read = (more: object) => here.value("read_json", { path: "a.json", ...more });

  test("gives a value by its pointer", async () => {
    expect(await read({})).toEqual({ matches: [{ pointer: "", value: document }], more: false });
    expect(await read({ pointer: "/users/1/name" })).toMatchObject({ matches: [{ value: "Bob" }] });
    expect(await read({ pointer: "/a~1b/m~0n" })).toMatchObject({ matches: [{ value: 1 }] });
    expect((await here.refusal("read_json", { path: "a.json", pointer: "/nowhere" })).message).toContain(
      "nothing at",
    );
    expect(await here.text("read_json", { path: "a.json", pointer: "/users/0" })).toBe(
      '{\n  "name": "Ada",\n  "age": 36\n}',
    );
  });

  test("gives values by a query", async () => {
    expect(await here.text("read_json", { path: "a.json", query: "$.users[?@.age > 30].name" })).toBe(
      '1 value:\n/users/0/name: "Ada"',
    );
    expect(await read({ query: "$..name", limit: 1 })).toEqual({
      matches: [{ pointer: "/users/0/name", value: "Ada" }],
      more: true,
      next: { skip: 1 },
    });
    for (const query of ["$.users[?process.exit()]", "$[(@.length-1)]", "users", "$..["])
      expect((await here.refusal("read_json", { path: "a.json", query })).kind).toBe("validation");
  });

  test("a query that would take for ever is ended, and so is its process", async () => {
    here.put("deep.json", JSON.stringify([`${"a".repeat(60)}!`]));
    const query = '$[?match(@, "(a+)+")]';
    expect(await ended("read_json", { path: "deep.json", query })).toMatch(/timeout|cancelled/);
    await expect.poll(children).not.toContain("select-child");
  });

  test("says what is wrong with a file, and how large a value is that is too large", async () => {
    here.put("nested.json", `${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    expect((await here.refusal("read_json", { path: "nested.json" })).message).toContain("nested too deeply");
    here.put("bad.json", "{ a: 1 }");
    expect((await here.refusal("read_json", { path: "bad.json" })).message).toContain("not valid JSON");
    here.put("big.json", JSON.stringify({ list: Array.from({ length: 100_000 }, (_, at) => at) }));
    expect((await here.refusal("read_json", { path: "big.json" })).message).toContain(
      "an object with 1 keys: list",
    );
    expect(await here.value("read_json", { path: "big.json", query: "$.list[-1]" })).toMatchObject({
      matches: [{ value: 99_999 }],
    });
    expect((await here.refusal("read_json", { path: "../outside/secret.txt" })).kind).toBe("denied");
  });
});
