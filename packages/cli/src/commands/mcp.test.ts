import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { inTurn, project, toolrig } from "../../test/toolrig-process.ts";

const server = fileURLToPath(new URL("../../test/mcp-server.ts", import.meta.url));
const input = { type: "object", properties: { q: { type: "string" } } };
const look = { name: "look", description: "Look something up", inputSchema: input };
const find = { name: "find", description: "Find something", inputSchema: input };

function place(files: Record<string, string> = {}): string {
  return project({
    "toolrig.config.json": JSON.stringify({ store: "toolrig.db" }),
    "tools.json": JSON.stringify([look]),
    ...files,
  });
}

/** The server of these tests as a program with its arguments. */
const program = (cwd: string) => [process.execPath, server, join(cwd, "tools.json")];

describe.concurrent("toolrig mcp", () => {
  test("a server that was added is there for every command, and what it changes waits for a person", async () => {
    const cwd = place();
    const run = (...args: string[]) => toolrig(args, { cwd });
    const added = await run("mcp", "add", "docs", "--", ...program(cwd));
    const taken = await run("mcp", "add", "docs", "--", "other");
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining("--replace") });
    expect(added).toMatchObject({ code: 0, stdout: "" });

    const listed = await run("mcp", "list");
    expect(listed.stdout).toBe(`docs\tstore\t-\t-\t${program(cwd).join(" ")}\n`);
    expect(await run("mcp", "test")).toMatchObject({ code: 0, stdout: "docs\tready\t2025\t1\t-\t-\t\n" });
    expect((await run("tools")).stdout).toMatch(/^docs__look\t-\tmcp:docs\texternal\tyes\t\n$/);
    const called = await run("call", "docs__look", '{"q":"x"}');
    expect(called.stdout).toBe('look {"q":"x"} no secret\n');

    writeFileSync(
      join(cwd, "tools.json"),
      JSON.stringify([{ ...look, description: "Look\u200b and tell evil" }, find]),
    );
    expect((await run("mcp", "test", "docs")).stdout).toBe("docs\tready\t2025\t-\t-\t2\t\n");
    expect((await run("call", "docs__look", "{}")).code).toBe(12);
    const diff = await run("mcp", "diff", "docs");
    expect(diff.code).toBe(1);
    expect(diff.stdout).toContain(
      ["changed look", "  description", "  - Look something up", "  + Look\\u{200b} and tell evil"].join(
        "\n",
      ),
    );
    expect(diff.stdout).toContain("new find\n");
    const [review = ""] = /--reviewed \w+/.exec(diff.stderr) ?? [];

    writeFileSync(join(cwd, "tools.json"), JSON.stringify([{ ...look, description: "worse" }, find]));
    await run("mcp", "test");
    const refused = await run("mcp", "accept", "docs", ...review.split(" "));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("no longer what was shown") });
    expect(JSON.parse((await run("mcp", "accept", "docs", "find", "--json")).stdout)).toEqual({
      name: "docs",
      accepted: ["find"],
    });
    expect((await run("tools")).stdout).toMatch(/^docs__find\t[^\n]*\n$/);
    expect((await run("mcp", "accept", "docs")).stderr).toContain("Accepted: look");
    expect(await run("mcp", "diff", "docs")).toMatchObject({ code: 0, stdout: "" });

    expect((await run("mcp", "remove", "docs")).code).toBe(0);
    expect((await run("mcp", "list", "--json")).stdout).toBe("[]\n");
  });

  test("a relative path is that of the folder where it was added, or of the config, for whoever calls", async () => {
    const cwd = place({ "sub/.keep": "" });
    const servers = { own: { command: process.execPath, args: [server, "tools.json"] } };
    writeFileSync(
      join(cwd, "toolrig.config.json"),
      JSON.stringify({ store: "toolrig.db", mcp: { servers } }),
    );
    await toolrig(["mcp", "add", "docs", "--", process.execPath, server, "tools.json"], { cwd });
    await toolrig(["mcp", "add", "deep", "--", process.execPath, server, "../tools.json"], {
      cwd: join(cwd, "sub"),
    });
    const tested = await toolrig(["mcp", "test"], { cwd: join(cwd, "sub") });
    expect(tested).toMatchObject({
      code: 0,
      stdout: ["deep", "docs", "own"].map((name) => `${name}\tready\t2025\t1\t-\t-\t\n`).join(""),
    });
  });

  test("servers of the config need no store, and none of them is started by looking", async () => {
    const cwd = place();
    const [command = "", ...args] = program(cwd);
    const servers = { docs: { command, args }, gone: { command: join(cwd, "nothing-here") } };
    writeFileSync(join(cwd, "toolrig.config.json"), JSON.stringify({ mcp: { servers } }));
    const listed = await toolrig(["mcp", "list", "--json"], { cwd });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: "docs", from: "config", accepted: null },
      { name: "gone", from: "config" },
    ]);
    const tested = await toolrig(["mcp", "test"], { cwd });
    expect(tested.code).toBe(14);
    expect(tested.stdout).toMatch(/^docs\tready\t.*\ngone\taway\t.*ENOENT/);
    expect((await toolrig(["tools"], { cwd })).stdout).toContain("docs__look");
    expect((await toolrig(["tools", "--offline"], { cwd })).stdout).toBe("");
    expect(existsSync(join(cwd, "toolrig.db"))).toBe(false);
  });

  test("files of other programs are read and never run by themselves", async () => {
    const cwd = place();
    const [command = "", ...args] = program(cwd);
    const marked = { command: "sh", args: ["-c", `touch ${join(cwd, "ran")}`] };
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { evil: marked } }));
    await toolrig(["tools"], { cwd });
    expect(existsSync(join(cwd, "ran"))).toBe(false);

    const secret = `\${env:MY_SECRET}`;
    const vscode = `{
      // what VS Code writes
      "inputs": [{ "id": "key", "type": "promptString", "description": "API key" }],
      "servers": {
        "My Docs": { "type": "stdio", "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(args)},
          "env": { "SECRET": "${secret}" }, "envFile": ".env" },
        "asking": { "url": "https://example.com/mcp", "headers": { "x-key": "\${input:key}" } },
        "old": { "type": "sse", "url": "https://example.com/sse" },
      },
    }`;
    writeFileSync(join(cwd, "mcp.json"), vscode);
    const added = await toolrig(["mcp", "add", "--from", "mcp.json", "--json"], { cwd });
    expect(added).toMatchObject({ code: 0, stdout: '["My-Docs"]\n' });
    expect(added.stderr).toContain("My Docs: it is called My-Docs here.");
    expect(added.stderr).toContain("My Docs: envFile is not read.");
    expect(added.stderr).toMatch(
      /asking: left out, since it asks for key \("API key"\): give --input key=VALUE/,
    );
    expect(added.stderr).toMatch(/old: left out, since its type is "sse"/);
    const called = await toolrig(["call", "My-Docs__look", "{}"], { cwd, env: { MY_SECRET: "s3cret" } });
    expect(called.stdout).toBe("look {} s3cret\n");
    const unset = await toolrig(["mcp", "test"], { cwd });
    expect(unset).toMatchObject({ code: 14, stdout: expect.stringContaining("MY_SECRET, which is not set") });
  });

  test("wrong usage is told", async () => {
    const wrong = [
      [["ad", "x"], { code: 2, stderr: expect.stringContaining("Did you mean") }],
      [["add", "x"], { code: 2, stderr: expect.stringContaining("--url URL") }],
      [["add", "x", "--url", "ftp://x"], { code: 2 }],
      [["add", "a b", "--url", "https://example.com/"], { code: 2 }],
      [["diff", "x"], { code: 12 }],
      [["remove", "x"], { code: 12 }],
      [["test", "x"], { code: 12 }],
    ] as const;
    const outcomes = await inTurn(
      wrong.map(([args]) => ["mcp", ...args]),
      { cwd: place() },
    );
    expect(outcomes).toMatchObject(wrong.map(([, outcome]) => outcome));
  });
});
