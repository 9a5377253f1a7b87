import { RequestProblem } from "../http/problem.ts";
import type { Caller } from "../http/route.ts";
import { mayRead } from "../security/gate.ts";
import type { Context } from "./context.ts";

/** What is longer is no part of an id: its end is not looked for among all there are. */
const LONGEST_PART = 20;

/**
 * The execution that is meant by its id, or the beginning or the end of one. Throws a problem when it is none or several. Who may
 * not look at what others do must know the whole id.
 */
export function executionNamed({ rig, live }: Context, typed: string, caller: Caller): string {
  if (!mayRead(caller) || live.calls.get(typed) !== undefined) return typed;
  const found = [
    ...new Set([
      ...live.calls.named(typed),
      ...(rig.store?.find(typed, { endings: typed.length <= LONGEST_PART }).executions ?? []),
    ]),
  ];
  if (found.length > 1)
    throw new RequestProblem(
      "CONFLICT",
      `"${typed}" may be one of several: ${found.join(", ")}. Send more of it.`,
    );
  return found[0] ?? typed;
}

/** As `executionNamed`, of runs. */
export function runNamed({ rig }: Context, typed: string, caller: Caller): string {
  if (rig.runs?.has(typed) === true) return typed;
  const near = rig.store?.find(typed, { endings: typed.length <= LONGEST_PART }).runs ?? [];
  const found = mayRead(caller) ? near : near.filter((runId) => runId === typed);
  if (found.length > 1)
    throw new RequestProblem(
      "CONFLICT",
      `"${typed}" may be one of several: ${found.join(", ")}. Send more of it.`,
    );
  if (found[0] === undefined) throw new RequestProblem("NOT_FOUND", `There is no run ${typed}.`);
  return found[0];
}
