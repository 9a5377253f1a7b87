import { toLangChainTools } from "@toolrig/interop/langchain";
import { executorOf } from "./beneath.ts";
import { playing } from "./langgraph.ts";
import type { Peer } from "./peer.ts";

/** The loop of LangGraph as in `langgraph.ts`, its tools being those of an executor. */
export const beneathLangGraph: Peer = (tasks) => playing(toLangChainTools(executorOf(tasks)) as never);
