import { toMastraTools } from "@toolrig/interop/mastra";
import { executorOf } from "./beneath.ts";
import { playing } from "./mastra.ts";
import type { Peer } from "./peer.ts";

/** The loop of Mastra as in `mastra.ts`, its tools being those of an executor. */
export const beneathMastra: Peer = (tasks) => playing(toMastraTools(executorOf(tasks)));
