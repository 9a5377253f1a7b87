import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AiSdkModel,
  aiSdkEngine,
  type Engine,
  type ScriptedReply,
  scriptedEngine,
} from "@toolrig/agent";
import { ToolrigError } from "@toolrig/core";
import { check, defined } from "@toolrig/core/kit";
import { didYouMean } from "../shell/did-you-mean.ts";
import { readJsonFile } from "../terminal/input.ts";

/** Makes models. Providers of the AI SDK are functions of a model's name, with methods for certain interfaces. */
type ModelMaker = ((model: string) => AiSdkModel) & { chat?: (model: string) => AiSdkModel };

interface Provider {
  package: string;
  /** The export that makes the provider. */
  create: string;
  /** Variables of the environment. */
  key: string;
  baseURL: string;
  /** Local servers speak OpenAI's older interface, and have no key. */
  local?: true;
}

const PROVIDERS: ReadonlyMap<string, Provider> = new Map(
  Object.entries({
    openai: {
      package: "@ai-sdk/openai",
      create: "createOpenAI",
      key: "OPENAI_API_KEY",
      baseURL: "OPENAI_BASE_URL",
      local: true,
    },
    anthropic: {
      package: "@ai-sdk/anthropic",
      create: "createAnthropic",
      key: "ANTHROPIC_API_KEY",
      baseURL: "ANTHROPIC_BASE_URL",
    },
    google: {
      package: "@ai-sdk/google",
      create: "createGoogleGenerativeAI",
      key: "GOOGLE_GENERATIVE_AI_API_KEY",
      baseURL: "GOOGLE_GENERATIVE_AI_BASE_URL",
    },
    "openai-compatible": {
      package: "@ai-sdk/openai-compatible",
      create: "createOpenAICompatible",
      key: "OPENAI_API_KEY",
      baseURL: "OPENAI_BASE_URL",
      local: true,
    },
  }),
);

/** Variables of the environment that hold the keys of models. */
export const KEYS: readonly string[] = [...new Set([...PROVIDERS.values()].map(({ key }) => key))];

/**
 * The engine that "PROVIDER:MODEL" names, from a package that is installed in `folder` or above, or "script:FILE", a
 * JSON list of replies with its path relative to `near`. Throws `OPTION_INVALID`, saying what to install or set.
 */
export async function engineFor(model: string, folder: string, near: string): Promise<Engine> {
  const colon = model.indexOf(":");
  const [name, rest] = [model.slice(0, colon), model.slice(colon + 1)];
  if (colon < 1 || rest === "") throw check.invalid("--model", "PROVIDER:MODEL, such as openai:gpt-5", model);
  if (name === "script") return script(resolve(near, rest));
  const provider = PROVIDERS.get(name) ?? unknownProvider(name);
  const make = await makerOf(provider, name, folder);
  const settings = settingsOf(provider, name);
  const made = make({ name, ...settings });
  return aiSdkEngine(
    provider.local && settings.baseURL !== undefined && made.chat ? made.chat(rest) : made(rest),
  );
}

/** What people run models with themselves. */
const LOCAL: ReadonlySet<string> = new Set([
  "ollama",
  "lmstudio",
  "llamacpp",
  "llama.cpp",
  "vllm",
  "localai",
]);

function unknownProvider(name: string): never {
  const names = [...PROVIDERS.keys(), "script"];
  const local = LOCAL.has(name.toLowerCase())
    ? ` Servers such as ${name} speak OpenAI's language: openai-compatible:MODEL, with OPENAI_BASE_URL, such as http://127.0.0.1:11434/v1.`
    : "";
  throw invalid(
    `There is no provider "${name}".${didYouMean(name, names)}${local} There is: ${names.join(", ")}.`,
  );
}

async function makerOf(
  { package: wanted, create }: Provider,
  name: string,
  folder: string,
): Promise<(settings: object) => ModelMaker> {
  let file: string;
  try {
    file = createRequire(join(folder, "toolrig.config.js")).resolve(wanted);
  } catch {
    throw invalid(`${name} models need ${wanted}, which is not installed here. Run: npm install ${wanted}`);
  }
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const maker = module[create];
  if (typeof maker === "function") return maker as (settings: object) => ModelMaker;
  throw invalid(`${wanted} has no ${create}; update it. Run: npm install ${wanted}@latest`);
}

function settingsOf(provider: Provider, name: string): { apiKey: string; baseURL?: string } {
  const baseURL = process.env[provider.baseURL] || undefined;
  const apiKey = process.env[provider.key] || undefined;
  if (name === "openai-compatible" && baseURL === undefined) {
    throw invalid(`${name} models need ${provider.baseURL}, such as http://127.0.0.1:11434/v1.`);
  }
  if (apiKey === undefined && !(provider.local && baseURL !== undefined)) {
    throw invalid(`${name} models need ${provider.key} in the environment.`);
  }
  return { apiKey: apiKey ?? "none", ...defined({ baseURL }) };
}

/** Which reply comes next is read off the transcript, so that a resumed run goes on with the script. */
async function script(file: string): Promise<Engine> {
  const replies = await readJsonFile(file, "--model script:");
  if (!Array.isArray(replies)) throw invalid(`--model script:${file} must hold a JSON list of replies.`);
  return scriptedEngine(
    ({ messages }) => {
      const said = messages.filter((message) => message.role === "assistant").length;
      const reply = (replies as ScriptedReply[])[said];
      if (reply !== undefined) return reply;
      throw new Error(
        `The script has no reply ${said + 1}: it ends after ${replies.length}, and a run that is resumed goes on where it was.`,
      );
    },
    { name: "script" },
  );
}

function invalid(message: string): ToolrigError {
  return new ToolrigError("OPTION_INVALID", message);
}
