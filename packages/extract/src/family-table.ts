import { anthropicInvoke } from "./families/anthropic-invoke.ts";
import { apertus } from "./families/apertus.ts";
import { assistantToolCalls } from "./families/assistant-tool-calls.ts";
import { bareJson } from "./families/bare-json.ts";
import { commandR } from "./families/command-r.ts";
import { commandR7b } from "./families/command-r7b.ts";
import { deepseekV3, deepseekV31 } from "./families/deepseek.ts";
import { deepseekV4, deepseekV32 } from "./families/deepseek-dsml.ts";
import { dots } from "./families/dots.ts";
import { fencedJson } from "./families/fenced-json.ts";
import { functionaryV2 } from "./families/functionary-v2.ts";
import { functionaryV31 } from "./families/functionary-v3.1.ts";
import { functionaryV32 } from "./families/functionary-v3.2.ts";
import { functiongemma } from "./families/functiongemma.ts";
import { firefunction, phi4Mini } from "./families/functools.ts";
import { gemma3ToolCode } from "./families/gemma3-tool-code.ts";
import { gemma4 } from "./families/gemma4.ts";
import { generic } from "./families/generic.ts";
import { gigachat3 } from "./families/gigachat3.ts";
import { glm, ling3, poolside } from "./families/glm.ts";
import { granite20bFc } from "./families/granite-20b-fc.ts";
import { granite3 } from "./families/granite3.ts";
import { gptOss } from "./families/harmony.ts";
import { ernie45, granite4, hermes } from "./families/hermes.ts";
import { hunyuanV3 } from "./families/hunyuan-v3.ts";
import { inkling } from "./families/inkling.ts";
import { internlm2 } from "./families/internlm2.ts";
import { apriel, hunyuanA13b, jamba } from "./families/jamba.ts";
import { jsonArray } from "./families/json-array.ts";
import { kimiK2 } from "./families/kimi-k2.ts";
import { kimiK3 } from "./families/kimi-k3.ts";
import { lfm2 } from "./families/lfm2.ts";
import { llama3Json, llama3PythonTag } from "./families/llama3.ts";
import { lmstudioToolRequest } from "./families/lmstudio.ts";
import { longcat } from "./families/longcat.ts";
import { minicpm5 } from "./families/minicpm5.ts";
import { minimaxM1 } from "./families/minimax-m1.ts";
import { minimaxM2 } from "./families/minimax-m2.ts";
import { minimaxM3 } from "./families/minimax-m3.ts";
import { mistral } from "./families/mistral.ts";
import { mistralArgs } from "./families/mistral-args.ts";
import { museGlimmer } from "./families/muse-glimmer.ts";
import { nemotronNanoV2 } from "./families/nemotron-nano-v2.ts";
import { olmo3 } from "./families/olmo3.ts";
import { openaiEcho } from "./families/openai-echo.ts";
import { llama4Pythonic, pythonic } from "./families/pythonic.ts";
import { nemotron3, qwen3Coder, step35 } from "./families/qwen3-coder.ts";
import { react } from "./families/react.ts";
import { seedOss } from "./families/seed-oss.ts";
import { step3 } from "./families/step3.ts";
import { xlam } from "./families/xlam.ts";
import { xmlTagname } from "./families/xml-tagname.ts";
import type { ExtractFamily } from "./family.ts";
import { OptionError } from "./option-error.ts";

/**
 * Every family. Where several begin alike, the order is the order in which they are tried: those with more structure
 * first, those that are a guess last. Families with the same grammar give the name of the first of them.
 */
export const families: readonly ExtractFamily[] = [
  hermes,
  qwen3Coder,
  glm,
  hunyuanV3,
  seedOss,
  jamba,
  minimaxM1,
  assistantToolCalls,
  nemotronNanoV2,
  longcat,
  lfm2,
  olmo3,
  mistral,
  mistralArgs,
  kimiK2,
  kimiK3,
  step3,
  deepseekV3,
  deepseekV31,
  deepseekV32,
  deepseekV4,
  minimaxM2,
  minimaxM3,
  dots,
  anthropicInvoke,
  minicpm5,
  museGlimmer,
  gptOss,
  granite3,
  granite20bFc,
  phi4Mini,
  internlm2,
  apertus,
  gigachat3,
  inkling,
  commandR,
  commandR7b,
  functionaryV2,
  functionaryV31,
  gemma4,
  functiongemma,
  gemma3ToolCode,
  lmstudioToolRequest,
  llama3PythonTag,
  react,
  fencedJson,
  openaiEcho,
  llama3Json,
  bareJson,
  jsonArray,
  llama4Pythonic,
  functionaryV32,
  xmlTagname,
  granite4,
  ernie45,
  nemotron3,
  step35,
  ling3,
  poolside,
  hunyuanA13b,
  apriel,
  firefunction,
  pythonic,
  xlam,
  generic,
];

const byName = new Map(families.map((family) => [family.name, family]));

/** The family of that name. Throws `OPTION_INVALID` if there is none. */
export function familyNamed(name: string): ExtractFamily {
  const family = byName.get(name);
  if (family !== undefined) return family;
  throw new OptionError(
    `"${name}" is not an extraction family. Leave \`family\` out to have it found, or use one of: ${[...byName.keys()].sort().join(", ")}.`,
  );
}
