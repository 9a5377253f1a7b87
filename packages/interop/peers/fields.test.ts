/** Runs of the peers alone beside the same runs beneath a rig: what was seen is the same, and each field of the tables has a run. */
import { expect, test } from "vitest";
import { provedFields } from "../../../proofs/interop/fields.ts";
import { installPeers } from "../../../scripts/interop-peers.ts";

installPeers(console.error);
const NAMES = ["ai-sdk", "openai-agents", "langchain", "mastra", "pi"];

test.each(NAMES)("nothing is lost beneath %s", async (name) => {
  const { table } = await import(`./fields/${name}.ts`);
  const verdicts = await provedFields(table);
  expect(verdicts.filter(({ differs }) => differs.length > 0)).toEqual([]);
});
