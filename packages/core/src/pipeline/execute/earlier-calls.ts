import type { ToolResult } from "../../call/result.ts";
import { messageOf } from "../../plain.ts";
import type { NestedIntent } from "../../stores/ledger.ts";
import { mayRepeat } from "../../tool/safety.ts";
import { type Execution, MadeCalls, type Resolved } from "../execution.ts";
import { inTime } from "../interruption.ts";

/** A tool asks for one of its calls: what an earlier start of it did under that id is accounted for. */
export function noteAsked(parent: Resolved, executionId: string, numbered: boolean): void {
  const top = topOf(parent);
  if (isFirstStart(top)) return;
  madeBy(top).ids.add(executionId);
  if (numbered) madeBy(parent).numbered = true;
}

/**
 * Whether a call that a tool makes could repeat what an earlier start of that tool did. A tool that is started again finds its
 * earlier calls in the ledger by their ids, which follow from their arguments. One that comes with other arguments, such as a fresh
 * reference, is a new call: it may run only when every call of the earlier start that cannot be repeated has been asked for again.
 * Otherwise nobody can say whether it is one of them, and the outcome of the tools that made it is unknown.
 */
export function unmatched(execution: Resolved): Promise<ToolResult | undefined> | undefined {
  const { parent, tool } = execution;
  if (parent === undefined || parent.made?.numbered || mayRepeat(tool.safety)) return undefined;
  const top = topOf(parent);
  return isFirstStart(top) ? undefined : lookUp(execution, top);
}

async function lookUp(execution: Resolved, top: Execution): Promise<ToolResult | undefined> {
  const { services, id, tool } = execution;
  let known: readonly NestedIntent[];
  try {
    known = await inTime(execution, Promise.resolve(services.ledger.under?.(top.id) ?? []));
  } catch (error) {
    const message = `${tool.name} did not run: the ledger cannot say what an earlier start of ${top.call.name} did (${messageOf(error)}).`;
    return execution.failed({ code: "TOOL_UNAVAILABLE", message });
  }
  const earlier = known.filter((each) => isNestedIn(top.id, each.executionId));
  if (earlier.some(({ executionId }) => executionId === id)) return undefined;
  const lost = earlier.find(
    (each) => !isAccountedFor(each, execution, top, earlier) && !isRepeatable(each, execution),
  );
  if (lost === undefined) return undefined;
  const message = `${tool.name} did not run: ${top.call.name} was started before and called ${lost.name} (execution ${lost.executionId}), which it has not asked for again. This call may be the same one with other arguments; verify what happened before you try again.`;
  for (let each: Execution | undefined = execution.parent; each !== undefined; each = each.parent)
    madeBy(each).unmatched ??= message;
  return execution.failed({ code: "TOOL_OUTCOME_UNKNOWN", message });
}

/**
 * It was asked for, or one that is in the ledger itself was, which answers for the calls that it made. A tool that makes calls now
 * was started again, and answers for none that it has not asked for.
 */
function isAccountedFor(
  { executionId }: NestedIntent,
  { id }: Resolved,
  { made }: Execution,
  earlier: readonly NestedIntent[],
): boolean {
  if (made === undefined) return false;
  if (made.ids.has(executionId)) return true;
  return earlier.some(
    ({ executionId: caller }) =>
      made.ids.has(caller) && isNestedIn(caller, executionId) && !isNestedIn(caller, id),
  );
}

/** A tool that is not at hand may do anything. */
function isRepeatable({ name, version }: NestedIntent, { services }: Resolved): boolean {
  const tool = services.source.get(name, version === undefined ? undefined : `=${version}`);
  return tool !== undefined && mayRepeat(tool.safety);
}

/** Nothing of it was begun before: its id was made for it, or its intent was new. */
function isFirstStart({ options, isNew }: Execution): boolean {
  return options.executionId === undefined || isNew;
}

function madeBy(execution: Execution): MadeCalls {
  execution.made ??= new MadeCalls();
  return execution.made;
}

function topOf(execution: Execution): Execution {
  let top = execution;
  while (top.parent !== undefined) top = top.parent;
  return top;
}

/** Callers may give ids that begin with another one's. */
function isNestedIn(executionId: string, nested: string): boolean {
  return nested.startsWith(`${executionId}.`) && NESTED.test(nested.slice(executionId.length));
}

const NESTED = /^\.[0-9a-f]{16}(\.|$)/;
