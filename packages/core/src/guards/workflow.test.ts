import { expect, test } from "vitest";
import { Executor, type Guard, result, tool } from "../index.ts";
import type { GuardInput } from "./guard.ts";
import { normalPath } from "./match/paths.ts";
import { planFirst } from "./plan-first.ts";
import { protectedPaths } from "./protected-paths.ts";
import { readBeforeWrite } from "./read-before-write.ts";
import { verifyAfterEffects } from "./verify-after-effects.ts";

const pathInput = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;
const read = tool({
  name: "read_file",
  description: "Read",
  input: pathInput,
  safety: { sideEffects: "read" },
  execute: () => "text",
});
const write = tool({
  name: "write_file",
  description: "Write",
  input: pathInput,
  safety: { sideEffects: "write" },
  execute: ({ path }) => result({ content: "written", effects: [{ type: "file", path, op: "write" }] }),
});
const plan = tool({
  name: "make_plan",
  description: "Plan",
  input: { type: "object" },
  safety: { sideEffects: "none" },
  execute: () => "ok",
});

function rig(guard: Guard) {
  const executor = new Executor({ tools: [read, write, plan], guards: [guard] });
  return (name: string, path = "a.txt", runId = "run") =>
    executor.call({ id: "c", name, arguments: { path } }, { runId });
}

test("a file is changed only after this run has read it, however its path is spelt", async () => {
  const call = rig(readBeforeWrite({ readers: ["read_file"], writers: ["write_file"] }));
  expect((await call("write_file")).failure).toMatchObject({
    code: "TOOL_BLOCKED",
    message: /read it first/,
  });
  await call("read_file", "./x/../a.txt");
  expect((await call("write_file")).isError).toBe(false);
  expect((await call("write_file", "a.txt", "other run")).isError).toBe(true);
});

test("what does not exist yet need not be read", async () => {
  const call = rig(
    readBeforeWrite({
      readers: ["read_file"],
      writers: ["write_file"],
      exists: (path) => path === "old.txt",
    }),
  );
  expect((await call("write_file", "new.txt")).isError).toBe(false);
  expect((await call("write_file", "old.txt")).isError).toBe(true);
});

test("a writer that does not say what it changes does not run", async () => {
  const ran: unknown[] = [];
  const edit = tool({
    name: "edit",
    description: "Edit",
    input: { type: "object" },
    execute: (args) => ran.push(args),
  });
  const lists = { readers: ["read_file"], writers: ["edit"] };
  const call = (guard: Guard, args: object) =>
    new Executor({ tools: [read, edit], guards: [guard] }).call({ id: "c", name: "edit", arguments: args });
  for (const args of [{ file_path: "b" }, { path: ["a", "b"] }, { path: 5 }, {}])
    expect((await call(readBeforeWrite(lists), args)).failure).toMatchObject({
      code: "TOOL_BLOCKED",
      message: /what edit would change cannot be found in its arguments.*`path`.*pathOf/,
    });
  for (const pathOf of [() => undefined, () => ["a"] as never])
    expect((await call(readBeforeWrite({ ...lists, pathOf }), { path: "a" })).failure?.message).toMatch(
      /its pathOf must give one text/,
    );
  expect(ran).toEqual([]);
  const pathOf = ({ args }: GuardInput) => (args as { file_path?: string }).file_path;
  const known = readBeforeWrite({ ...lists, pathOf, exists: () => false });
  expect((await call(known, { file_path: "b" })).isError).toBe(false);
});

test("nothing is changed before there is a plan", async () => {
  const call = rig(planFirst({ planner: "make_plan" }));
  expect((await call("read_file")).isError).toBe(false);
  expect((await call("write_file")).failure?.message).toMatch(/make_plan/);
  await call("make_plan");
  expect((await call("write_file")).isError).toBe(false);
});

test.each([".git/config", "sub/../.git/config", "./.git//hooks/x", "deep/er/.env"])(
  "%s is protected",
  async (path) => {
    const call = rig(protectedPaths({ paths: [".git/**", "**/.env", ".env"] }));
    expect((await call("write_file", path)).failure?.code).toBe("TOOL_BLOCKED");
    expect((await call("read_file", path)).isError).toBe(false);
  },
);

test.each([
  [".git"],
  ["./.git/"],
  [".GIT/config"],
  ["/home/ann/repo/.git/config"],
  ["../repo/.git/config"],
  ["C:\\\\repo\\\\.git\\\\config"],
  ["file:///repo/%2egit/config"],
  ["vscode:///repo/.git/config"],
  ["vscode://repo/.git/config"],
  ["file:/repo/.git/config"],
  ["%2egit/config"],
  ["%252egit%2Fconfig"],
  ["%ff/../.git/config"],
  [" .git/config"],
  ["a/../ .git /config"],
  [".env. "],
  [".env::$DATA"],
  [".g\u200cit/config"],
  ["deep/.env"],
  [`${". ".repeat(100_000)}x/../.env`],
  [".env"],
])("%j is protected too", async (path) => {
  const call = rig(protectedPaths({ paths: [".git/**", "**/.env"] }));
  expect((await call("write_file", path)).failure?.code).toBe("TOOL_BLOCKED");
});

test.each(["git/config", "my.git/config", ".gitignore", "x.env", "a/.environment", "docs/.git.md"])(
  "%j is not",
  async (path) => {
    const call = rig(protectedPaths({ paths: [".git/**", "**/.env"] }));
    expect((await call("write_file", path)).isError).toBe(false);
  },
);

test("a protected path is found however deep it lies in the arguments", async () => {
  const edit = tool({
    name: "edit",
    description: "Edit",
    input: { type: "object", properties: { edits: {} } },
    execute: () => "edited",
  });
  const executor = new Executor({ tools: [edit], guards: [protectedPaths({ paths: ["**/.env"] })] });
  const edits = [[{ file: { path: "a/.env" } }], { "a/.env": "X=1" }, ["b", ["c/.env"]]];
  for (const each of edits) {
    const { failure } = await executor.call({ id: "c", name: "edit", arguments: { edits: each } });
    expect(failure?.code).toBe("TOOL_BLOCKED");
  }
});

test.each([
  { type: "object" } as const,
  { type: "object", additionalProperties: { type: "string" } } as const,
])("a protected path is found in a key where the schema is %j", async (input) => {
  const edit = tool({ name: "edit", description: "Edit", input, execute: () => "edited" });
  const executor = new Executor({ tools: [edit], guards: [protectedPaths({ paths: ["/etc/**"] })] });
  const call = (args: object) => executor.call({ id: "c", name: "edit", arguments: args });
  expect((await call({ "/etc/passwd": "x" })).failure?.code).toBe("TOOL_BLOCKED");
  expect((await call({ "/tmp/x": "x" })).isError).toBe(false);
});

test("a protected path is found behind a thousand other values and below any depth, and arguments without end could name one", async () => {
  const write = tool({
    name: "write_files",
    description: "Write",
    input: { type: "object", properties: { modes: {}, path: {}, tree: {} } },
    execute: () => "written",
  });
  const guard = protectedPaths({ paths: [".git/**"] });
  const executor = new Executor({ tools: [write], guards: [guard] });
  const deep = `${'{"tree":'.repeat(100)}{"path":".git/config"}${"}".repeat(100)}`;
  const endless: Record<string, unknown> = { path: "a" };
  endless.tree = endless;
  for (const args of [
    `{"modes":[${Array(5_000).fill("0")}],"path":".git/hooks/pre-commit"}`,
    JSON.parse(deep),
  ]) {
    const { failure } = await executor.call({ id: "c", name: "write_files", arguments: args });
    expect(failure?.code).toBe("TOOL_BLOCKED");
  }
  const verdict = await guard.before?.({ tool: write, args: endless } as unknown as GuardInput);
  expect(verdict).toMatchObject({ verdict: "deny" });
});

test("a change is verified also when its path is absolute", async () => {
  const call = rig(verifyAfterEffects({ paths: ["src/**"], verify: async () => "broken" }));
  expect((await call("write_file", "/repo/src/a.ts")).advice).toEqual(["verification failed: broken"]);
});

test("a failed verification is attached to the result of the change", async () => {
  const call = rig(
    verifyAfterEffects({
      paths: ["src/**"],
      verify: async (effects) => `${effects.length} file breaks the build`,
    }),
  );
  const changed = await call("write_file", "src/a.ts");
  expect(changed.isError).toBe(false);
  expect(changed.advice).toEqual(["verification failed: 1 file breaks the build"]);
  expect((await call("write_file", "docs/a.md")).advice).toBeUndefined();
});

test.each([
  ["a/b", "a/b"],
  ["./a//b/../c", "a/c"],
  ["/../etc", "/etc"],
  ["../x", "../x"],
  ["a\\b", "a/b"],
])("%s is the path %s", (spelt, normal) => {
  expect(normalPath(spelt)).toBe(normal);
});

test("guards keep to the lists that they were given", async () => {
  const paths = [".git/**"];
  const lists = { readers: ["read_file"], writers: ["write_file"] };
  const [guarded, careful] = [rig(protectedPaths({ paths })), rig(readBeforeWrite(lists))];
  paths.length = 0;
  lists.writers.length = 0;
  expect((await guarded("write_file", ".git/config")).isError).toBe(true);
  expect((await careful("write_file")).isError).toBe(true);
});
