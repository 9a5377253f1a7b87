import {
  type DataLabels,
  type Failure,
  type FailureInput,
  failure,
  type ToolContext,
  type Waiting,
} from "@toolrig/core";
import { type ArtifactStore, defined, wrapSource } from "@toolrig/core/kit";
import { Script, type ScriptEnd, type ScriptSetup } from "../code/script.ts";
import { ScriptBook, type ScriptStores } from "../code/script-book.ts";
import type { SandboxLog } from "../engine/run.ts";
import type { Sandbox } from "../engine/sandbox.ts";
import { type Stripped, stripBody } from "../typescript/strip.ts";
import { digestOf, type MadeTool } from "./recipe.ts";
import { refusalOf, type Surroundings } from "./refusal.ts";

/** What runs handlers. */
export interface Workshop extends Surroundings {
  /** Made when it is first needed. */
  sandbox(): Sandbox;
  /** Where handlers that wait are kept. */
  kept: ScriptStores;
  /** Where answers that were too large for a model are. */
  artifacts(): ArtifactStore;
  giveUp: ScriptSetup["giveUp"];
}

type Runnable = Pick<MadeTool, "name" | "handler" | "uses" | "safety" | "by">;

/** How a handler ended, or what it waits for. */
export type Handled = About &
  (
    | { status: "returned"; value: unknown }
    | { status: "failed"; failure: Failure; line?: number }
    | { status: "waiting"; waiting: Waiting }
  );

interface About {
  /** Of all that it has read, also before it waited. */
  labels?: DataLabels;
  log: readonly SandboxLog[];
}

/**
 * A handler that can be called. Its types are taken out when it is first called. One that waits is kept as code mode keeps
 * scripts: called again under its execution it goes on where it was.
 */
export function handlerOf(made: Runnable, workshop: Workshop) {
  let stripped: Stripped | undefined;
  const names = new Set(made.uses.map(({ name }) => name));
  const tools = wrapSource(workshop.tools, { keep: ({ name }) => names.has(name) });
  return async (input: unknown, context: ToolContext): Promise<Handled> => {
    const { executionId, principal, signal } = context;
    const body = stripped ?? (await stripBody(made.handler, { principal: principal?.id, signal }));
    // A call that was given up, or had to wait too long, says nothing about the text.
    if (body.ok || !(signal.aborted || body.isBusy)) stripped = body;
    if (!body.ok)
      return failed(
        { log: [] },
        {
          kind: body.isBusy ? "unavailable" : "fatal",
          message: `${made.name} cannot be read: ${body.problem.message}`,
        },
      );
    const script = new Script(
      {
        ...{ sandbox: workshop.sandbox(), tools, artifacts: workshop.artifacts(), giveUp: workshop.giveUp },
        book: new ScriptBook(workshop.kept, executionId, made.handler, principal),
        ...{
          globals: { input },
          filename: `${made.name}.ts`,
          codeId: digestOf(made.handler),
          source: "tool",
        },
        refuse: (call) => refusalOf(made, call, context, workshop),
      },
      context,
    );
    const end = await script.run(async () => body.code);
    const { labels, log } = script;
    return handled(made, end, { log, ...defined({ labels }) });
  };
}

function handled({ name }: Runnable, end: ScriptEnd | undefined, about: About): Handled {
  switch (end?.status) {
    case "returned":
      return { ...about, status: "returned", value: end.value };
    case "waiting":
      return { ...about, status: "waiting", waiting: end.waiting };
    case "threw":
      return threw(name, end, about);
    case "limit": {
      const code = end.limit === "queue" ? "TOOL_UNAVAILABLE" : "TOOL_EXECUTION_FAILED";
      const message = `${name} was stopped: ${end.message}`;
      return failed(about, { code, message, details: { limit: end.limit } });
    }
    case "diverged":
      return failed(about, { code: "TOOL_OUTCOME_UNKNOWN", message: `${name}: ${end.message}` });
    case "cancelled":
      return failed(about, { kind: "cancelled", message: `${name} was cancelled.` });
    default:
      return failed(about, { kind: "fatal", message: `${name} could not be run to its end.` });
  }
}

type Threw = Extract<ScriptEnd, { status: "threw" }>;

/** What a call that the handler made failed with, and it did not catch, is why it failed; else it is its own fault. */
function threw(name: string, { error, failed: call }: Threw, about: About): Handled {
  const { message, name: type, line } = error;
  const place = line === undefined ? "" : ` (line ${line} of its handler)`;
  const what = call !== undefined ? `tools.${call.tool}: ` : type === "Error" ? "" : `${type}: `;
  const passed = call !== undefined && PASSED.has(call.code) ? { code: call.code } : {};
  const answer = failed(about, { ...passed, message: `${name} failed${place}: ${what}${message}` });
  return line === undefined ? answer : { ...answer, line };
}

/** Faults in the arguments that a handler gave are the handler's own, not of whoever called the tool. */
const PASSED: ReadonlySet<unknown> = new Set([
  ...["TOOL_NOT_ALLOWED", "TOOL_BLOCKED", "TOOL_APPROVAL_REJECTED", "TOOL_UNAVAILABLE"],
  ...["TOOL_TRANSIENT", "TOOL_RATE_LIMITED", "TOOL_TIMEOUT", "TOOL_OUTCOME_UNKNOWN"],
]);

function failed(about: About, input: FailureInput): Extract<Handled, { status: "failed" }> {
  return { ...about, status: "failed", failure: failure(input).failure };
}
