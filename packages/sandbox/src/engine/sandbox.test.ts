import { afterAll, expect, test, vi } from "vitest";
import type { CallAnswer, SandboxLog, SandboxRun } from "./run.ts";
import { Sandbox } from "./sandbox.ts";

const sandbox = new Sandbox({ size: 2 });
afterAll(() => sandbox.close());

const run = (code: string, more: Partial<SandboxRun> = {}) => sandbox.run({ code, ...more });

test("code computes on what it is given, and its value comes back", async () => {
  expect(
    await run("return { sum: input.a + input.b }", { globals: { input: { a: 2, b: 3 } } }),
  ).toMatchObject({
    status: "returned",
    value: { sum: 5 },
  });
  expect(await run("")).toMatchObject({ status: "returned", value: undefined });
});

test("calls are answered, at once as many as may be, and finish in any order", async () => {
  let [out, most] = [0, 0];
  const outcome = await run(
    "return await Promise.all([...Array(20).keys()].map((n) => tools.double({ n })))",
    {
      tools: ["double"],
      limits: { parallel: 4 },
      async onCall({ args }) {
        out += 1;
        most = Math.max(most, out);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        out -= 1;
        return { status: "done", value: (args as { n: number }).n * 2 };
      },
    },
  );
  expect(outcome).toMatchObject({ status: "returned", value: [...Array(20).keys()].map((n) => n * 2) });
  expect(most).toBe(4);
});

test("a failed call is an error with what the host said about it", async () => {
  const onCall = (): CallAnswer => ({
    status: "failed",
    error: { name: "ToolError", message: "no such file", code: "TOOL_NOT_FOUND" },
  });
  const tools = ["read"];
  const code =
    "try { await tools.read({}) } catch (e) { return [e instanceof Error, e.name, e.message, e.code] }";
  expect(await run(code, { tools, onCall })).toMatchObject({
    value: [true, "ToolError", "no such file", "TOOL_NOT_FOUND"],
  });
  expect(await run("await tools.read({})", { tools, onCall })).toMatchObject({
    status: "threw",
    error: { name: "ToolError", message: "no such file", details: { code: "TOOL_NOT_FOUND" } },
  });
});

test("errors say where in the code they are", async () => {
  expect(await run("const a = 1;\n\n  missing.field;")).toMatchObject({
    status: "threw",
    error: { name: "ReferenceError", line: 3, column: 3 },
  });
  expect(await run("let x = ;")).toMatchObject({ error: { name: "SyntaxError", line: 1, column: 9 } });
});

test("lines of the log come in order", async () => {
  const lines: SandboxLog[] = [];
  await run("console.log('a', { b: 1 }); console.warn(2, null)", { onLog: (line) => lines.push(line) });
  expect(lines).toEqual([
    { level: "log", text: 'a {"b":1}' },
    { level: "warn", text: "2 null" },
  ]);
});

test("code that waits for nothing is told so", async () => {
  expect(await run("await new Promise(() => {})")).toMatchObject({
    status: "threw",
    error: { message: expect.stringContaining("never comes") },
  });
});

test("a run whose calls wait for the world is paused, and goes on in another sandbox", async () => {
  const calls: string[] = [];
  const code = `const before = await tools.count({});
    const [a, b] = await Promise.all([tools.ask({ q: 1 }), tools.ask({ q: 2 })]);
    return { before, a, b, after: await tools.count({}) }`;
  const onCall: SandboxRun["onCall"] = ({ name }) => {
    calls.push(name);
    return name === "ask" ? { status: "waiting" } : { status: "done", value: calls.length };
  };
  const paused = await run(code, { tools: ["count", "ask"], onCall, boundTo: "execution 1" });
  if (paused.status !== "paused") throw new Error(`it is ${paused.status}`);
  expect(paused.pending).toEqual([
    { id: 2, name: "ask", args: { q: 1 } },
    { id: 3, name: "ask", args: { q: 2 } },
  ]);
  const other = new Sandbox();
  const goOn = (answers: { id: number; answer: CallAnswer }[], snapshot: Uint8Array) =>
    other.resume(snapshot, { answers, onCall, boundTo: "execution 1" });
  const again = await goOn([{ id: 3, answer: { status: "done", value: "two" } }], paused.snapshot);
  if (again.status !== "paused") throw new Error(`it is ${again.status}`);
  expect(again.pending).toEqual([{ id: 2, name: "ask", args: { q: 1 } }]);
  expect(await goOn([{ id: 2, answer: { status: "done", value: "one" } }], again.snapshot)).toMatchObject({
    status: "returned",
    value: { before: 1, a: "one", b: "two", after: 4 },
  });
  expect(calls).toEqual(["count", "ask", "ask", "count"]);
  other.close();
});

test("timers that are set and cleared in one turn never reach the host", async () => {
  const set = vi.spyOn(globalThis, "setTimeout");
  const code = `for (let i = 0; i < 20_000; i++) clearTimeout(setTimeout(() => {}, 1e9));
    const kept = setTimeout(() => {}, 1e9);
    await new Promise((resolve) => setTimeout(resolve, 1));
    clearTimeout(kept);
    return 1;`;
  expect(await run(code)).toMatchObject({ status: "returned", value: 1 });
  expect(set.mock.calls.length).toBeLessThan(100);
  set.mockRestore();
});

test("a failed call whose error is too long keeps its name, message and codes", async () => {
  const error = {
    name: "ToolError",
    message: "exit code 2",
    code: "X",
    value: { stdout: "x".repeat(5_000) },
  };
  const onCall = (): CallAnswer => ({ status: "failed", error });
  const code = "try { await tools.go({}) } catch (e) { return [e.name, e.message, e.code, typeof e.value] }";
  expect(await run(code, { tools: ["go"], onCall })).toMatchObject({
    value: ["ToolError", "exit code 2", "X", "object"],
  });
  expect(await run(code, { tools: ["go"], onCall, limits: { answer: 4_000 } })).toMatchObject({
    value: ["ToolError", expect.stringMatching(/^exit code 2 .*left out/), "X", "undefined"],
  });
});
