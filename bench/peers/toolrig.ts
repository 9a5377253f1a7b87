import { AgentLoop, scriptedEngine } from "@toolrig/agent";
import { tool } from "@toolrig/core";
import type { Peer } from "./peer.ts";

/** Toolrig itself, with default options but for the limit on turns. */
export const toolrig: Peer = (tasks) => {
  const tools = tasks.map(({ name, description, jsonSchema, run }) =>
    tool({
      name,
      description,
      input: jsonSchema,
      execute: run,
      safety: { sideEffects: "none", idempotent: true },
    }),
  );
  return async (script, turns = Number.MAX_SAFE_INTEGER) => {
    const engine = scriptedEngine(() => script());
    const outcome = await new AgentLoop({ engine, tools, maxToolIterations: turns }).run("go").outcome;
    if (outcome.status !== "answered") throw new Error(`The run ended as ${outcome.status}.`);
    return outcome;
  };
};
