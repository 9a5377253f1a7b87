import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, type CallOptions, Executor, type ToolResult, textOf } from "@toolrig/core";
import type { CommandValue } from "@toolrig/toolkit";
import { afterAll } from "vitest";

/** A directory that is removed when the tests of a file are over. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "toolrig-toolkit-")));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface Answer extends ToolResult {
  text: string;
  /** What a command came to. */
  command: CommandValue;
}

/** Calls tools through an executor, as a model does. */
export function caller(tools: readonly AnyTool[]) {
  const executor = new Executor({ tools: [...tools] });
  let calls = 0;
  return async (name: string, args: unknown = {}, options: CallOptions = {}): Promise<Answer> => {
    const result = await executor.call({ id: `call_${++calls}`, name, arguments: args }, options);
    return { ...result, text: textOf(result.content), command: result.value as CommandValue };
  };
}
