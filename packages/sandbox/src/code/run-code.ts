import {
  type AnyTool,
  MemoryJournal,
  type Tool,
  type ToolContext,
  type ToolFailure,
  type ToolList,
  type ToolSource,
  tool,
  unavailable,
} from "@toolrig/core";
import {
  check,
  declareOptions,
  forCaller,
  MemoryArtifactStore,
  type OptionTable,
  option,
  type RigWith,
  sourceOf,
  wrapSource,
} from "@toolrig/core/kit";
import { type Limits, limitOptions, limitsFrom, type SandboxLimits } from "../engine/limits.ts";
import { Sandbox } from "../engine/sandbox.ts";
import { checkTypes, findCompiler } from "../typescript/check.ts";
import { stripBody } from "../typescript/strip.ts";
import { Offered } from "./describe.ts";
import { Script } from "./script.ts";
import { overWall, scriptAnswer, unreadable } from "./script-answer.ts";
import { ScriptBook, type ScriptStores } from "./script-book.ts";

/**
 * A rig whose tools scripts may call. Without an executor, what a cancelled script waited for stays open until it expires, and
 * a long answer reaches a script as shortened as it reaches a model.
 */
export interface CodeRig extends RigWith<never, "executor"> {
  /** The tools that scripts may call. */
  readonly tools: ToolSource | ToolList;
  /** Keeps scripts that wait. Without it they are kept as long as the process lives. */
  readonly store?: ScriptStores | undefined;
}

export interface RunCodeOptions {
  /** Default "run_code". */
  name?: string;
  /** What a script may take: of a given `sandbox`, no more than that allows. */
  limits?: SandboxLimits;
  /** Up to this many tools are declared to the model with the tool; of more, it finds those that it needs. Default 40. */
  declare?: number;
  /**
   * Whether types are checked before a script runs, where TypeScript is installed: about a second, for messages with line
   * numbers. Default false.
   */
  typeCheck?: boolean;
  /** Default: one of its own. */
  sandbox?: Sandbox;
}

const runCodeOptions = declareOptions("runCode", {
  name: option.text({ default: "run_code" }),
  limits: option.group(limitOptions),
  declare: option.count(0, { default: 40 }),
  typeCheck: option.flag({ default: false }),
  sandbox: option.that("a Sandbox", (value) => value instanceof Sandbox),
} satisfies OptionTable<RunCodeOptions>);

const CODE = {
  type: "object",
  properties: {
    code: { type: "string", minLength: 1, description: "The body of an async function, in TypeScript" },
  },
  required: ["code"],
  additionalProperties: false,
} as const;

/** For a script that ends itself when its time is up, to say so. */
const GRACE_MS = 10_000;

/**
 * The tool with which a model composes tools in code: a TypeScript script in which each tool is a typed async function. Every
 * call that a script makes takes the whole way of a call, as a child of the script's. It does nothing by itself, so what its
 * calls are decides: those are judged, approved and recorded one by one.
 */
export function runCode(rig: CodeRig, options: RunCodeOptions = {}): Tool<{ code: string }, unknown> {
  check.object("rig", rig, "a rig, or { tools }");
  if (rig.tools === undefined) throw check.invalid("rig.tools", "tools that scripts may call", rig.tools);
  const { name, declare, typeCheck, limits, sandbox: given } = runCodeOptions.withDefaults(options);
  check.has("rig.store.journal", rig.store?.journal, ["begin", "append", "entries", "header"], "a journal");
  check.has("rig.store.artifacts", rig.store?.artifacts, ["put", "bytes", "read"], "a store of artifacts");
  const sandbox = given ?? new Sandbox(limits === undefined ? {} : { limits });
  const own = limitsFrom(limits, sandbox.limits);
  const tools = wrapSource(sourceOf(rig.tools), { keep: (each) => each.type !== SCRIPT_TOOL });
  const offered = new Offered(tools, declare);
  const kept = rig.store ?? { journal: new MemoryJournal(), artifacts: new MemoryArtifactStore() };
  const giveUp = async (executionId: string) =>
    rig.executor?.waits?.cancel(executionId, { reason: "the script ended without it" });
  const made = tool({
    name,
    description: "Run a script that calls tools",
    input: CODE,
    type: SCRIPT_TOOL,
    safety: { sideEffects: "none" },
    ledger: true,
    timeout: own.wall + GRACE_MS,
    // Started again, a script goes on where it waited, and finds in the ledger what it did since.
    reconcile: () => ({ outcome: "never-ran" }),
    async execute({ code }, context) {
      const { executionId, principal } = context;
      const artifacts = rig.executor?.artifacts ?? kept.artifacts;
      const book = new ScriptBook(kept, executionId, code, principal);
      const script = new Script({ sandbox, limits: own, tools, artifacts, book, giveUp }, context);
      let problem: ToolFailure | undefined;
      const end = await script.run(async () => {
        const ready = await readable(code, own, context, typeCheck ? offered : undefined);
        if (typeof ready === "string") return ready;
        problem = ready;
        return undefined;
      });
      return end === undefined ? problem : scriptAnswer(end, script);
    },
  });
  return forCaller(describedBy(made, offered));
}

/** `type` of tools that run scripts: no script calls another. */
const SCRIPT_TOOL = "script";

/** The text that the sandbox runs, or why there is none. Takes no longer than the script itself may: `time` and `wall` hold. */
async function readable(
  code: string,
  limits: Limits,
  { principal, signal: given }: ToolContext,
  checked: Offered | undefined,
): Promise<string | ToolFailure> {
  // The sandbox refuses it, with the limit.
  if (code.length > limits.code) return code;
  const wall = new AbortController();
  const timer = setTimeout(() => wall.abort(), limits.wall);
  const caller = { principal: principal?.id, signal: AbortSignal.any([given, wall.signal]) };
  try {
    const stripped = await stripBody(code, { ...caller, withinMs: limits.time });
    if (wall.signal.aborted) return overWall(limits);
    if (!stripped.ok)
      return stripped.isBusy ? unavailable(stripped.problem.message) : unreadable([stripped.problem]);
    if (checked === undefined) return stripped.code;
    const body = {
      head: "async function script() {",
      body: code,
      declarations: checked.declarationsFor(code),
    };
    const types = await checkTypes(body, findCompiler(process.cwd()), caller);
    if (wall.signal.aborted) return overWall(limits);
    return types.status === "failed" ? unreadable(types.problems) : stripped.code;
  } finally {
    clearTimeout(timer);
  }
}

/** The tool with the description that is right at the moment: it changes when tools come and go. */
function describedBy<T extends AnyTool>(made: T, offered: Offered): T {
  let last = made.definition;
  return Object.freeze(
    Object.defineProperties({} as T, {
      ...Object.getOwnPropertyDescriptors(made),
      definition: {
        enumerable: true,
        get() {
          const { description } = offered;
          if (last.description !== description) last = Object.freeze({ ...made.definition, description });
          return last;
        },
      },
      // Whoever is shown the words of tools from outside has read them.
      trusted: { enumerable: true, get: () => !offered.isForeign },
    }),
  );
}
