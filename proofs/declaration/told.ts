/** Everywhere a model, a person or another process is told of a tool. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { AgentLoop, scriptedEngine } from "@toolrig/agent";
import {
  Executor,
  MemoryCallStore,
  type ToolDefinition,
  toAiSdk,
  toAnthropic,
  toMcp,
  toOpenAI,
  toOpenAIResponses,
} from "@toolrig/core";
import { Fleet, NatsWorker } from "@toolrig/nats";
import { declared, type Field } from "./subject.ts";

export type Told = (field: Field) => Promise<string> | string;

const shaped = (shape: (definition: ToolDefinition) => unknown) => (field: Field) =>
  JSON.stringify(shape(declared(field).definition));

async function loopRequest(field: Field): Promise<string> {
  let seen = "";
  const engine = scriptedEngine(({ tools }) => {
    seen = JSON.stringify(tools);
    return "done";
  });
  await new AgentLoop({ engine, tools: [declared(field)] }).run("Book a room").outcome;
  return seen;
}

async function record(field: Field): Promise<string> {
  const store = new MemoryCallStore();
  const subject = declared(field);
  const executor = new Executor({ tools: [subject], store });
  await executor.call({ id: "c", name: subject.name, arguments: { room: "blue", nights: 1 } });
  await executor.drain();
  const { name, version, definitionHash } = store.records()[0]!;
  return JSON.stringify({ name, version, definitionHash });
}

const main = join(import.meta.dirname, "..", "..", "packages", "cli", "src", "main.ts");

async function commandLine(field: Field): Promise<string> {
  const config = join(import.meta.dirname, "toolrig.config.ts");
  const args = ["--conditions=@toolrig/source", main, "tools", "--json", "--config", config];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: "1", DECLARED: field },
  });
  return stdout;
}

/** By a worker's card, through a server. */
export function fleetCard(url: string): Told {
  return async (field) => {
    const nats = { servers: url };
    const worker = new NatsWorker({ nats, tools: [declared(field)], globalTools: false });
    await worker.start();
    const fleet = await Fleet.connect({ nats });
    try {
      return JSON.stringify(fleet.tools().map(({ definition }) => definition));
    } finally {
      fleet.close();
      await worker.stop();
    }
  };
}

export const VENDORS: Readonly<Record<string, Told>> = {
  "OpenAI chat": shaped(toOpenAI),
  "OpenAI responses": shaped(toOpenAIResponses),
  Anthropic: shaped(toAnthropic),
  "AI SDK": shaped(toAiSdk),
  MCP: shaped(toMcp),
  "a loop's request": loopRequest,
};

export const RECORD: Told = record;
export const COMMAND_LINE: Told = commandLine;
