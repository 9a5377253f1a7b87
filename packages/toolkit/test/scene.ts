/** A root with files, a folder beside it that nothing may come out of, and an executor with the tools. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AnyTool, Executor, type ToolResult, textOf } from "@toolrig/core";
import { afterAll } from "vitest";
import { HANG_MS } from "../../../scripts/hang-limit.ts";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export interface Scene {
  readonly root: string;
  readonly outside: string;
  put(path: string, content: string | Uint8Array): void;
  get(path: string): string;
  /** Which tools there are to call. */
  use(...tools: AnyTool[]): void;
  call(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  /** The text that the model reads. Throws for a call that failed. */
  text(name: string, args: Record<string, unknown>): Promise<string>;
  /** The value that a program gets. Throws for a call that failed. */
  value<Value = Record<string, unknown>>(name: string, args: Record<string, unknown>): Promise<Value>;
  /** Why a call failed. Throws for one that did not. */
  refusal(name: string, args: Record<string, unknown>): Promise<{ kind: string; message: string }>;
}

export function scene(files: Readonly<Record<string, string>> = {}): Scene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkit-")));
  made.push(base);
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  for (const folder of [root, outside]) mkdirSync(folder);
  writeFileSync(join(outside, "secret.txt"), "secret");
  let executor = new Executor({ tools: [] });
  const self: Scene = {
    root,
    outside,
    put(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    get: (path) => readFileSync(join(root, path), "utf8"),
    use(...tools) {
      executor = new Executor({ tools: tools.map(patient) });
    },
    call: (name, args) => executor.call({ id: "call", name, arguments: args }),
    text: async (name, args) => textOf(succeeded(await self.call(name, args)).content),
    value: async <Value>(name: string, args: Record<string, unknown>) =>
      succeeded(await self.call(name, args)).value as Value,
    async refusal(name, args) {
      const { failure, content } = await self.call(name, args);
      if (failure === undefined) throw new Error(`It did not fail: ${textOf(content)}`);
      return { kind: failure.kind, message: failure.message };
    },
  };
  for (const [path, content] of Object.entries(files)) self.put(path, content);
  return self;
}

/** A tool whose usual limit does not end it on a busy machine. Shorter limits are what a test is about. */
function patient(tool: AnyTool): AnyTool {
  return (tool.timeoutMs ?? 0) < 30_000 ? tool : { ...tool, timeoutMs: HANG_MS };
}

function succeeded(result: ToolResult): ToolResult {
  if (result.failure !== undefined) throw new Error(result.failure.message);
  return result;
}
