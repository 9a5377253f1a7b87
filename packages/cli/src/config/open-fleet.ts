import { AgentLoop } from "@toolrig/agent";
import { type CallExecutor, type CallOptions, ToolrigError, type ToolSource } from "@toolrig/core";
import { compileAllowlist, defined, wrapSource } from "@toolrig/core/kit";
import { type Fleet, NatsExecutor } from "@toolrig/nats";
import { openStore, type Store } from "@toolrig/store";
import { isStore } from "../rig/assemble.ts";
import type { Rig } from "../rig/rig.ts";
import { type RigRunOptions, splitOptions } from "../rig/run-options.ts";
import { callerAt, type TypedFleet } from "./fleet-at.ts";
import type { Loaded } from "./load-settings.ts";

type Refusal = NonNullable<CallOptions["refusal"]>;

/** Where a command's calls run: the rig of the config, or a fleet. */
export type Place = Pick<
  Rig,
  "call" | "run" | "resume" | "events" | "tools" | "store" | "approvals" | "close"
>;

interface FleetUse {
  narrow?: (known: readonly string[]) => readonly string[];
  journaled?: boolean;
}

/**
 * The fleet that was typed. Its workers' tools, policy, limits and records hold; of the config, the allowlist, the system prompt and,
 * for runs, the store's journal. `narrow` is
 * told the names of the tools that may be called, and gives those that shall be.
 */
export async function openFleet(
  typed: TypedFleet,
  settings: Loaded,
  { narrow, journaled = false }: FleetUse = {},
): Promise<Place> {
  const executor = await NatsExecutor.connect(callerAt(typed, settings));
  try {
    const fleet = await executor.fleet();
    const store = journaled ? storeOf(settings) : undefined;
    const refusal = refusalIn(fleet, settings, narrow);
    const allowed = withRefusals(executor, refusal);
    const tools = wrapSource(fleet, { keep: ({ name }) => refusal(name) === undefined });
    const loopOf = (given: RigRunOptions) => {
      const { loop, run } = splitOptions(given);
      const { keepApprovals: _, engine = settings.rig.engine, ...options } = loop;
      if (engine === undefined) throw new ToolrigError("OPTION_INVALID", "No model is known.");
      const { system } = settings.rig;
      const journal = store === undefined ? {} : { journal: store.journal };
      const own = { ...defined({ system }), ...options, ...journal };
      return { loop: new AgentLoop({ ...own, engine, tools, executor: allowed }), run };
    };
    return {
      events: executor.events,
      tools,
      store,
      approvals: undefined,
      call: (call, options) => allowed.call(call, options),
      run(input, given = {}) {
        const { loop, run } = loopOf(given);
        return loop.run(input, run);
      },
      resume(runId, given = {}) {
        const { loop, run } = loopOf(given);
        return loop.resume(runId, run);
      },
      async close() {
        await executor.close();
        if (typeof settings.rig.store === "string") store?.close();
      },
    };
  } catch (error) {
    await executor.close();
    throw error;
  }
}

function storeOf({ rig: { store } }: Loaded): Store | undefined {
  if (typeof store === "string") return openStore(store);
  return isStore(store) ? store : undefined;
}

/** Why a tool may not be called from here. What no worker has is told by the fleet. */
function refusalIn(
  fleet: Fleet & ToolSource,
  { rig: { allow } }: Loaded,
  narrow: FleetUse["narrow"],
): (name: string) => Refusal | undefined {
  const refused = compileAllowlist(allow);
  const allowed = fleet.tools().filter((tool) => refused(tool, fleet) === undefined);
  const only = narrow?.(allowed.map(({ name }) => name));
  return (name) => {
    const tool = fleet.get(name);
    const why = tool === undefined ? undefined : refused(tool, fleet);
    const message =
      why ?? (only?.includes(name) === false ? `tool '${name}' is not offered here` : undefined);
    return message === undefined ? undefined : { kind: "denied", code: "TOOL_NOT_ALLOWED", message };
  };
}

/** What may not be called is refused before it leaves, also where a model makes up its name. */
function withRefusals(executor: NatsExecutor, refusal: (name: string) => Refusal | undefined): CallExecutor {
  return {
    events: executor.events,
    refuses: true,
    call: (call, options = {}) =>
      executor.call(call, { ...options, refusal: options.refusal ?? refusal(call.name) }),
    batch: (calls, options = {}) =>
      executor.batch(calls, {
        ...options,
        refusals: calls.map(({ name }, index) => options.refusals?.[index] ?? refusal(name)),
      }),
  };
}
