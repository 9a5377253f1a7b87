/** `Action:` and a `json` fence with `[{"tool_name": N, "parameters": {...}}, ...]`. */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import { type Reading, skipSpace } from "../input.ts";
import { skipFence } from "../read-json-envelope.ts";
import { readFenced } from "./fenced-json.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const fence = yield* skipFence(scan, yield* skipSpace(scan.input, start));
  return fence.open ? yield* readFenced(scan, fence.at) : undefined;
}

export const commandR: ExtractFamily = {
  name: "command-r",
  title: "Command R",
  example: 'Action:\n```json\n[{"tool_name": "search", "parameters": {"query": "x"}}]\n```',
  openings: [{ literal: "Action:", at: "line", read }],
};
