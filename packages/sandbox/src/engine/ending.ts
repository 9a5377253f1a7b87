import { formatDuration } from "@toolrig/core/kit";
import type { Limits } from "./limits.ts";
import type { Ended } from "./messages.ts";
import type { CodeError, LimitName, SandboxOutcome } from "./run.ts";

type WithoutUse<Outcome> = Outcome extends unknown ? Omit<Outcome, "used"> : never;

/** How a run ended, before it is said what it took. */
export type Ending = WithoutUse<SandboxOutcome>;

/** Reading its texts may take its time: see `paced`. */
export function endingOf(ended: Ended, limits: Limits): Ending {
  switch (ended.as) {
    case "returned":
      return { status: "returned", value: ended.text === "" ? undefined : JSON.parse(ended.text) };
    case "threw":
      return { status: "threw", error: JSON.parse(ended.text) as CodeError };
    case "limit":
      return over(ended.limit, limits, ended.message);
    case "broken":
      return { status: "broken", message: ended.message };
  }
}

export function over(limit: LimitName, limits: Limits, message = messages[limit](limits)): Ending {
  return { status: "limit", limit, message };
}

const count = (value: number) => value.toLocaleString("en-US");

const messages: Record<LimitName, (limits: Limits) => string> = {
  memory: ({ memory }) => `The code needs more than ${count(memory)} bytes of memory.`,
  time: ({ time }) => `The code ran for more than ${formatDuration(time)}, not counting calls.`,
  steps: ({ steps }) => `The code took more than ${count(steps)} steps.`,
  wall: ({ wall }) => `The run took more than ${formatDuration(wall)}, counting calls.`,
  calls: ({ calls }) => `The code made more than ${count(calls)} calls.`,
  code: ({ code }) => `The code is longer than ${count(code)} characters.`,
  args: ({ args }) => `Arguments or globals have more than ${count(args)} characters of JSON.`,
  result: ({ result }) => `The returned value has more than ${count(result)} characters of JSON.`,
  stack: () => "The code went too deep: calls within calls, or a value within values.",
  snapshot: ({ snapshot }) =>
    `The waiting run takes more than ${count(snapshot)} bytes, or too many calls wait.`,
  queue: () => "Too many runs are under way or wait for their turn.",
};
