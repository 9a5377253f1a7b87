import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finished, project, start } from "../../test/toolrig-process.ts";

const toolText = (says: string) => `
  import { existsSync } from "node:fs";
  import { tool, registerTool } from "toolrig";
  const any = { type: "object" };
  const safety = { sideEffects: "none", idempotent: true };
  export const say = tool({ name: "say", description: "Say", input: any, safety, execute: () => "${says}" });
  export const hold = tool({ name: "hold", description: "Hold", input: any, safety, timeout: "1h",
    execute: async () => {
      while (!existsSync("released")) await new Promise((resolve) => setTimeout(resolve, 20));
      return "held by ${says}";
    } });
  registerTool(tool({ name: "shared", description: "Shared", input: any, safety, execute: () => "shared ${says}" }));
`;
const config = `import { defineConfig } from "toolrig"; import { hold, say } from "./say.js";
  export default defineConfig({ tools: [say, hold], policy: "policy.json" });`;

test("toolrig dev reads anew what changes, survives what cannot be read, and lets calls end", async () => {
  const cwd = project({
    "package.json": `{ "type": "commonjs" }`,
    "toolrig.config.js": config,
    "say.js": toolText("one"),
    "policy.json": "{}",
  });
  const child = start(["dev", "--port", "0"], { cwd });
  const ended = finished(child);
  let shown = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk) => {
      shown += chunk;
    });
  const told = (what: RegExp) => expect.poll(() => shown).toMatch(what);
  try {
    await told(/http:\/\/127.0.0.1:\d+\n[\s\S]*3 tools, from 3 files/);
    const [url = ""] = /http:\S+/.exec(shown) ?? [];
    const call = async (name: string) => {
      const body = JSON.stringify({ name, arguments: {} });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/api/v1/calls`, { method: "POST", headers, body });
      return (await response.json()).content?.[0].text;
    };
    expect(await call("say")).toBe("one");
    await told(/^ok +say \{\} → one/m);
    const held = call("hold");
    await expect
      .poll(async () => (await (await fetch(`${url}/api/v1/calls?state=running`)).json()).items?.length)
      .toBe(1);

    writeFileSync(join(cwd, "say.js"), toolText("two"));
    await told(/Changed: say\.js\n[\s\S]*3 tools/);
    expect(await call("say")).toBe("two");
    expect(await call("shared")).toBe("shared two");
    writeFileSync(join(cwd, "released"), "");
    expect(await held).toBe("held by one");

    writeFileSync(join(cwd, "say.js"), "export const = ");
    await told(/could not be loaded[\s\S]*the tools are as they were/);
    expect(await call("shared")).toBe("shared two");
    writeFileSync(join(cwd, "say.js"), toolText("three"));
    await told(/as they were[\s\S]*3 tools/);
    expect(await call("say")).toBe("three");

    for (const [file, text, says] of [
      ["toolrig.config.js", config, "three"],
      ["say.js", toolText("four"), "four"],
    ] as const) {
      shown = "";
      rmSync(join(cwd, file));
      await told(/the tools are as they were/);
      expect(await call("say")).toBe("three");
      writeFileSync(join(cwd, file), text);
      await told(/as they were[\s\S]*3 tools/);
      expect(await call("say")).toBe(says);
    }

    writeFileSync(
      join(cwd, "policy.json"),
      `{ "rules": [{ "when": { "tool": "say" }, "verdict": "deny", "reason": "hush" }] }`,
    );
    await told(/Changed: policy\.json\n[\s\S]*3 tools/);
    expect(await call("say")).not.toBe("three");
  } finally {
    child.kill("SIGINT");
  }
  expect((await ended).code).toBe(0);
});
