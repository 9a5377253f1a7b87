import { toPiTools } from "@toolrig/interop/pi";
import { executorOf } from "./beneath.ts";
import type { Peer } from "./peer.ts";
import { playing } from "./pi.ts";

/** The loop of pi as in `pi.ts`, its tools being those of an executor. */
export const beneathPi: Peer = (tasks) => playing(toPiTools(executorOf(tasks)));
