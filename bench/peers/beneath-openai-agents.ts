import { toOpenAIAgentsTools } from "@toolrig/interop/openai-agents";
import { executorOf } from "./beneath.ts";
import { playing } from "./openai-agents.ts";
import type { Peer } from "./peer.ts";

/** The loop of the OpenAI Agents SDK as in `openai-agents.ts`, its tools being those of an executor. */
export const beneathOpenaiAgents: Peer = (tasks) => playing(toOpenAIAgentsTools(executorOf(tasks)));
