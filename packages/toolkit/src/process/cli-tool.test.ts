import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cliTool, option } from "@toolrig/toolkit";
import { expect, test, vi } from "vitest";
import { caller, folder } from "../../test/calls.ts";

const root = folder();
const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const base = { name: "say", description: "Say something", input, processes: { root } };

test("a program is a tool: its output is the answer", async () => {
  const say = cliTool({ ...base, command: "echo", args: ({ text }) => [option("-n"), text] });
  expect(say.type).toBe("cli");
  const { text, effects } = await caller([say])("say", { text: "$(id) hello" });
  expect(text).toBe("$(id) hello");
  expect(effects).toMatchObject([{ type: "process", exitCode: 0 }]);
});

test("a value that looks like an option is refused, unless the author ended the options", async () => {
  const plain = caller([cliTool({ ...base, command: "cat", args: ({ text }) => [text] })]);
  for (const text of ["-", "--help", "-n", "--", "--output=/etc/passwd"])
    expect((await plain("say", { text })).failure?.kind, text).toBe("validation");
  const ended = cliTool({ ...base, command: "printf", args: ({ text }) => [option("--"), "%s", text] });
  expect((await caller([ended])("say", { text: "--help" })).text).toBe("--help");
});

test("data that looks like an option passed for one of the author's", async () => {
  const files = { type: "object", properties: { files: { type: "array" } }, required: ["files"] } as const;
  const args = ({ files }: { files: unknown[] }) => files as string[];
  const call = caller([cliTool({ ...base, input: files, command: "sort", args })]);
  for (const forged of [
    { option: "--output=pwned" },
    { option: "--" },
    { option: "-o", value: "pwned" },
    null,
  ])
    expect((await call("say", { files: [forged] })).failure?.kind).toBe("validation");
  expect(existsSync(join(root, "pwned"))).toBe(false);
});

test("values of options are bound to them", async () => {
  const args = ({ text }: { text: string }) => [
    option("--"),
    "[%s]",
    option("--grep", text),
    option("-n", "1"),
  ];
  const shown = caller([cliTool({ ...base, command: "printf", args })]);
  expect((await shown("say", { text: "--all" })).text).toBe("[--grep=--all][-n][1]");
  const short = cliTool({ ...base, command: "echo", args: ({ text }) => [option("-n", text)] });
  expect((await caller([short])("say", { text: "-e" })).failure?.kind).toBe("validation");
});

test("the program is the one that was there when the tool was made", async () => {
  const [first, second] = [folder(), folder()];
  writeFileSync(join(second, "greet"), "#!/bin/sh\necho mine\n", { mode: 0o755 });
  vi.stubEnv("PATH", `${first}:${second}:${process.env.PATH}`);
  const visible = [first, second];
  const greet = cliTool({ ...base, command: "greet", args: () => [], processes: { root, visible } });
  const call = caller([greet]);
  writeFileSync(join(first, "greet"), "#!/bin/sh\necho planted\n", { mode: 0o755 });
  expect((await call("say", { text: "" })).text).toBe("mine\n");
  rmSync(join(second, "greet"));
  writeFileSync(join(second, "greet"), "#!/bin/sh\necho replaced\n", { mode: 0o755 });
  expect((await call("say", { text: "" })).failure?.message).toContain("was replaced");
  vi.unstubAllEnvs();
});

test("a program that is not there makes the tool unavailable, with the reason", () => {
  const none = cliTool({ ...base, command: "no-such-program", args: () => [] });
  expect(none.available()).toBe("no-such-program was not found on PATH");
});

test("exit codes that mean something are no failure", async () => {
  const grep = cliTool({
    ...base,
    command: "grep",
    args: ({ text }) => [option("--regexp", text)],
    stdin: () => "a\nb\n",
    exitCodes: [0, 1],
  });
  const call = caller([grep]);
  expect((await call("say", { text: "a" })).text).toBe("a\n");
  expect((await call("say", { text: "z" })).isError).toBe(false);
  expect((await call("say", { text: "[" })).isError).toBe(true);
});

test("a misspelt setting is refused", () => {
  expect(() => cliTool({ ...base, command: "echo", args: () => [], saftey: {} } as never)).toThrow("safety");
});
