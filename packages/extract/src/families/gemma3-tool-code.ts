/** A code fence with the info string `tool_code`, one N(k=literal, ...) per line, possibly inside `print(...)`. */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import type { Reading } from "../input.ts";
import { readPythonCalls } from "../python-calls.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  return yield* readPythonCalls(scan, start, { close: ["```"] });
}

export const gemma3ToolCode: ExtractFamily = {
  name: "gemma3-tool-code",
  title: "Gemma 3",
  example: '```tool_code\nsearch(query="x")\n```',
  openings: [{ literal: "tool_code", at: "fence", read }],
};
