import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, test } from "vitest";
import { hasTerminal, onTerminal } from "../../test/terminal.ts";
import { finished, inTurn, type Outcome, project, start, toolrig } from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const config = `
  import { existsSync, readFileSync, writeFileSync } from "node:fs";
  import { defineConfig, openStore, tool } from "toolrig";
  const store = openStore(new URL("toolrig.db", import.meta.url).pathname);
  const any = { type: "object" } as const;
  const safe = { sideEffects: "none", idempotent: true } as const;
  const writeNote = tool({ name: "write_note", description: "Write", safety: { sideEffects: "write" },
    input: { type: "object", properties: { path: { type: "string" }, text: { type: "string" } }, required: ["path", "text"] },
    execute({ path, text }, context) {
      const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
      writeFileSync(path, text);
      context.effect({ type: "file", path, op: before === undefined ? "create" : "write", after: store.artifacts.put(text),
        ...(before !== undefined && { before: store.artifacts.put(before) }) });
      context.effect({ type: "process", command: "wc", args: ["-l", "a file"], exitCode: 0 });
      return "written";
    } });
  const greet = tool({ name: "greet", description: "Greet", input: any, safety: safe, mode: "sequential", execute: () => "Hello" });
  const broken = tool({ name: "broken", description: "Broken", input: any, safety: safe, mode: "sequential", execute: () => { throw new Error("it broke"); } });
  export default defineConfig({ tools: [writeNote, greet, broken], store, model: "script:script.json" });
`;
const script = [
  {
    calls: [
      { name: "write_note", arguments: { path: "notes/a.txt", text: "one\ntwo\n" } },
      { name: "greet", arguments: "{}" },
    ],
  },
  {
    calls: [{ name: "write_note", arguments: { path: "notes/a.txt", text: "one\n2\n" } }, { name: "broken" }],
  },
  "All written.",
];
const cwd = project({
  "toolrig.config.ts": config,
  "script.json": JSON.stringify(script),
  "notes/b.txt": "",
});
const rows = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
const records = (stdout: string) =>
  stdout === ""
    ? []
    : stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));

let runId: string;
beforeAll(async () => {
  const { code, stderr } = await toolrig(["run", "Write a note"], { cwd });
  expect(code, stderr).toBe(0);
  const { stdout } = await toolrig(["runs"], { cwd });
  const [[id, , status, , task] = []] = rows(stdout);
  expect([status, task]).toEqual(["answered", "Write a note"]);
  runId = id!;
});

describe.concurrent("what was recorded", () => {
  test("toolrig log lists calls, the latest last", async () => {
    const { code, stdout } = await toolrig(["log"], { cwd });
    expect(code).toBe(0);
    const table = rows(stdout);
    expect(table.map(([, kind, tool]) => `${tool} ${kind}`)).toEqual([
      "write_note ok",
      "greet ok",
      "write_note ok",
      "broken fatal",
    ]);
    expect(table[0]![0]).toBe(new Date(Date.parse(table[0]![0]!)).toISOString());
    expect(table[0]!.slice(5)).toEqual([runId, '{"path":"notes/a.txt","text":"one\\ntwo\\n"} → written']);
    expect(table[3]![6]).toBe("{} → it broke");
  });

  test("a call that was refused unread is shown as it was sent", async () => {
    const here = project({ "toolrig.config.json": `{ "store": "toolrig.db" }` });
    await toolrig(["call", "nope", '{"city": "Oslo"}'], { cwd: here });
    const [log, show] = await inTurn([["log"], ["show", "@last"]], { cwd: here });
    expect(log!.stdout).toContain('\t{"city": "Oslo"} → There is no tool');
    expect(show!.stdout).toContain('arguments  {"city": "Oslo"}');
  });

  test("piped, a line has all that was asked and answered", async () => {
    const here = project({ "toolrig.config.json": `{ "store": "toolrig.db" }` });
    const city = "Llanfairpwll".repeat(30);
    await toolrig(["call", "nope", JSON.stringify({ city })], { cwd: here });
    const { stdout } = await toolrig(["log"], { cwd: here });
    expect(stdout).toContain(city);
    expect(stdout).not.toContain("…");
  });

  test.skipIf(!hasTerminal)("tables fit a terminal, with ids that commands take", async () => {
    const shown = await onTerminal(["log"], { cwd, columns: 80 });
    const lines = shown.trimEnd().split("\n");
    expect(lines.map((line) => line.length <= 80)).toEqual(lines.map(() => true));
    expect(lines[0]).toMatch(/^ENDED +KIND +TOOL +TOOK +EXECUTION +CALL$/);
    const [, , , , id = ""] = lines[4]!.split(/ {2,}/);
    const [show] = await inTurn([["show", id]], { cwd });
    expect(show!.stdout).toContain("tool       broken");
  });

  test("toolrig log filters", async () => {
    const filters = [
      ["--tool", "greet"],
      ["--kind", "error"],
      ["--run", "another"],
      ["--text", "broke"],
      ["--path", "notes"],
      ["--since", "1h", "--limit", "1"],
      ["--until", "2020-01-01"],
    ];
    const outcomes = await inTurn(
      filters.map((each) => ["log", "--json", "--store", "toolrig.db", ...each]),
      { cwd },
    );
    const found = outcomes.map(({ stdout }) => records(stdout));
    expect(found.map((each) => each.map(({ name }) => name))).toEqual([
      ["greet"],
      ["broken"],
      [],
      ["broken"],
      ["write_note", "write_note"],
      ["broken"],
      [],
    ]);
    expect(found[0]![0]).toMatchObject({ runId, seq: 2, result: { content: [{ text: "Hello" }] } });
  });

  test("what cannot be done is refused with what to do", async () => {
    const wrong = [
      [["log", "--kind", "bad"], "--kind must be one of ok, error, fatal"],
      [["log", "--since", "yesterday"], "--since must be a date such as 2026-01-31T12:00Z, or how long ago"],
      [["log", "--limit", "0"], "--limit must be a whole number of at least 1"],
      [["log", "--store", "nowhere.db"], "It is made by the first call that is recorded."],
      [["log", "--store", "script.json"], "the file is not a Toolrig store"],
      [["audit", "verfy"], 'Did you mean "verify"?'],
      [["audit", "export", "--format", "xml"], "--format must be ndjson or csv"],
      [["audit", "verify", "--anchor", "7"], "--anchor must be SEQ:HASH"],
    ] as const;
    const outcomes = await inTurn(
      wrong.map(([args]) => args),
      { cwd },
    );
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      expect(code).toBeOneOf([1, 2]);
      expect(stdout).toBe("");
      expect(stderr).toContain(wrong[index]![1]);
    }
  });

  test("a project without a store says how to have one", async () => {
    const { code, stderr } = await toolrig(["runs"], { cwd: project({ "toolrig.config.json": "{}" }) });
    expect(code).toBe(2);
    expect(stderr).toContain('set store: "toolrig.db" in the config');
  });

  test("toolrig show tells everything of one execution", async () => {
    const { stdout } = await toolrig(["log", "--json", "--tool", "write_note", "--limit", "1"], { cwd });
    const [{ executionId }] = records(stdout);
    const store = ["--store", "toolrig.db"];
    const [text, json, none] = (await inTurn(
      [
        ["show", executionId, ...store],
        ["show", executionId, "--json", ...store],
        ["show", "exec_none", ...store],
      ],
      { cwd },
    )) as [Outcome, Outcome, Outcome];
    expect(text.stdout).toMatch(/^tool +write_note$/m);
    expect(text.stdout).toMatch(/^effect +\{"type":"file","path":"notes\/a.txt"/m);
    expect(text.stdout).toMatch(/^ledger +completed since /m);
    expect(JSON.parse(json.stdout)).toMatchObject({
      records: [{ executionId }],
      ledger: { state: "completed" },
    });
    expect(none.code).toBe(EXIT_CODE.not_found);
  });

  test("toolrig diff shows the net change as a patch, and what ran", async () => {
    const store = ["--store", "toolrig.db"];
    const [patch, json, none] = (await inTurn(
      [
        ["diff", runId, ...store],
        ["diff", runId, "--json", ...store],
        ["diff", "run_none", ...store],
      ],
      { cwd },
    )) as [Outcome, Outcome, Outcome];
    const ran = '# ran wc -l "a file" (exit 0)\n';
    expect(patch.stdout).toBe(`${ran}${ran}--- /dev/null\n+++ b/notes/a.txt\n@@ -0,0 +1,2 @@\n+one\n+2\n`);
    expect(patch.stderr).toBe("1 file changed, 2 processes ran.\n");
    expect(JSON.parse(json.stdout)).toMatchObject({
      runId,
      files: [{ change: "created" }],
      turns: [{ turn: 1 }, { turn: 2 }],
    });
    expect(none.code).toBe(EXIT_CODE.not_found);
  });

  test("toolrig audit exports the records in both formats", async () => {
    const [ndjson, csv] = (await inTurn(
      [
        ["--kind", "ok"],
        ["--format", "csv"],
      ].map((args) => ["audit", "export", "--store", "toolrig.db", ...args]),
      { cwd },
    )) as [Outcome, Outcome];
    expect(
      ndjson.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).seq),
    ).toEqual([1, 2, 3]);
    expect(csv.stdout.split("\r\n")[0]).toContain("seq,ended_at,tool");
    expect(csv.stdout.trimEnd().split("\r\n")).toHaveLength(5);
  });

  test("toolrig audit verify finds a changed record, and a chain that was cut since the anchor", async () => {
    const intact = await toolrig(["audit", "verify"], { cwd });
    const [, anchor] = /^ok\t4 records\t(\d+:\w+)\trows 1 to 4\n$/.exec(intact.stdout)!;
    const copy = join(cwd, "copy.db");
    writeFileSync(copy, readFileSync(join(cwd, "toolrig.db")));
    for (const end of ["-wal", "-shm"]) {
      try {
        writeFileSync(`${copy}${end}`, readFileSync(join(cwd, `toolrig.db${end}`)));
      } catch {
        // Whoever closed the store last has tidied up.
      }
    }
    const database = new DatabaseSync(copy);
    database.exec("UPDATE records SET body = replace(body, 'Hello', 'Howdy') WHERE seq = 2");
    database.close();
    const [changed, json, other] = (await inTurn(
      [
        ["--store", "copy.db"],
        ["--store", "copy.db", "--json"],
        ["--store", "toolrig.db", "--anchor", anchor!.replace(/^\d+/, "9")],
      ].map((args) => ["audit", "verify", ...args]),
      { cwd },
    )) as [Outcome, Outcome, Outcome];
    expect(changed).toMatchObject({ code: 1, stdout: "" });
    expect(changed.stderr).toContain("Row 2 does not match its hash.");
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, problems: [{ seq: 2, problem: "changed" }] });
    expect(other.stderr).toContain("once reached row 9");
  });
});

test("toolrig log --follow goes on with what others record, until Ctrl-C", async () => {
  const child = start(["log", "--follow", "--tool", "greet"], { cwd });
  let seen = "";
  child.stdout!.on("data", (chunk) => {
    seen += chunk;
    if (rows(seen).length === 2) child.kill("SIGINT");
  });
  const ended = finished(child);
  await expect.poll(() => seen).toContain("Hello");
  await toolrig(["call", "greet", '{"again": true}'], { cwd });
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
  expect(rows(seen)[1]![6]).toBe('{"again":true} → Hello');
});

test("toolrig resume goes on with a run that was killed, without repeating what has happened", async () => {
  const counting = config
    .replace(
      "export default",
      `const wait = () => new Promise(() => setInterval(() => {}, 1_000));
      const count = tool({ name: "count_up", description: "Count", input: any, safety: { sideEffects: "write" },
        execute: () => writeFileSync("counted", "x", { flag: "a" }) });
      const pay = tool({ name: "pay", description: "Pay", input: any, safety: { sideEffects: "external" },
        execute: () => { writeFileSync("paid", "x", { flag: "a" }); return wait(); } });
      const look = tool({ name: "look", description: "Look", input: any, safety: safe,
        execute: () => { console.error("looking"); return existsSync("seen") ? "seen" : wait(); } });
      export default`,
    )
    .replace("tools: [", "tools: [count, pay, look, ");
  const steps = [{ calls: [{ name: "count_up" }] }, { calls: [{ name: "pay" }, { name: "look" }] }, "Done."];
  const killed = project({ "toolrig.config.ts": counting, "script.json": JSON.stringify(steps) });
  const child = start(["run", "Count"], { cwd: killed });
  // The intent to pay is on disk before the payment, which may be a moment after the look.
  child.stderr!.on("data", async (chunk) => {
    if (!String(chunk).includes("looking")) return;
    await expect.poll(() => existsSync(join(killed, "paid"))).toBe(true);
    child.kill("SIGKILL");
  });
  await finished(child);

  const open = await toolrig(["runs", "--open", "--json"], { cwd: killed });
  const [{ header }] = JSON.parse(open.stdout);
  writeFileSync(join(killed, "seen"), "");
  const { code, stdout, stderr } = await toolrig(["resume", header.runId], { cwd: killed });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  expect(stderr).toMatch(/^pay was cut off in an earlier process and may have happened: toolrig show exec_/m);
  expect(stderr).toMatch(/^unknown +pay \{\} → TOOL_OUTCOME_UNKNOWN/m);
  expect(stderr).toMatch(/^ok +look \{\} → seen/m);
  expect(["counted", "paid"].map((file) => readFileSync(join(killed, file), "utf8"))).toEqual(["x", "x"]);
  const [again, none] = await Promise.all([
    toolrig(["resume", header.runId], { cwd: killed }),
    toolrig(["resume", "run_none"], { cwd: killed }),
  ]);
  expect(again).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
  expect(none).toMatchObject({ code: 12, stderr: expect.stringContaining("There is no run run_none.") });
});
