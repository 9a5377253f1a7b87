import type { FailureInput } from "../failure/failure.ts";
import { failure } from "../failure/failure.ts";
import { check } from "../options/check.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { tool } from "../tool/define-tool.ts";
import type { Safety, SideEffects } from "../tool/safety.ts";
import type { Tool, ToolSpec } from "../tool/tool.ts";

/** What a scripted tool does when it is called. */
export type ScriptStep =
  | { returns: unknown }
  | { fails: FailureInput | string }
  /** Anything can be thrown, and is. */
  | { throws: unknown }
  /** Never answers; ends when its signal aborts. */
  | { hangs: true }
  | ((args: unknown) => unknown);

export interface ScriptedToolSpec {
  name: string;
  /** One step a call; the last one repeats. Default: returns "ok". */
  script?: readonly ScriptStep[];
  safety?: { sideEffects: SideEffects; idempotent?: boolean };
  /** Default: any object. */
  input?: JsonSchema;
  /** Anything else a tool can declare. */
  more?: Partial<Omit<ToolSpec<JsonSchema, unknown>, "name" | "input" | "execute" | "safety">>;
}

export interface ScriptedTool extends Tool {
  /** The arguments of every start, in order. */
  readonly calls: readonly unknown[];
  /** The idempotency key of every start. */
  readonly keys: readonly string[];
}

const DEFAULT_SAFETY: Pick<Safety, "sideEffects" | "idempotent"> = { sideEffects: "none", idempotent: true };

/** A tool that does what the script says and remembers how it was called. */
export function scriptedTool(spec: ScriptedToolSpec): ScriptedTool {
  check.object("The spec of a scripted tool", spec, "an object with its name");
  const {
    name,
    script = [{ returns: "ok" }],
    safety = DEFAULT_SAFETY,
    input = { type: "object" },
    more,
  } = spec;
  const calls: unknown[] = [];
  const keys: string[] = [];
  const scripted = tool({
    description: `Does what a test says (${name})`,
    ...more,
    name,
    input,
    safety,
    execute(args: unknown, context) {
      const step = script[Math.min(calls.length, script.length - 1)]!;
      calls.push(args);
      keys.push(context.idempotencyKey);
      return perform(step, args, context.signal);
    },
  });
  return Object.freeze({ ...scripted, calls, keys }) as ScriptedTool;
}

function perform(step: ScriptStep, args: unknown, signal: AbortSignal): unknown {
  if (typeof step === "function") return step(args);
  if ("returns" in step) return step.returns;
  if ("fails" in step) return failure(step.fails);
  if ("throws" in step) throw step.throws;
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
