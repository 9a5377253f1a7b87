import { ApprovalQueue, type CallEvent, type Principal, ToolrigError } from "@toolrig/core";
import { type ApprovalEntry, messageOf } from "@toolrig/core/kit";
import type { Place } from "../../config/open-fleet.ts";
import type { RigOptions } from "../../rig/assemble.ts";
import { userName } from "../../shell/user-name.ts";
import { editText } from "../../terminal/edit-text.ts";
import { parseJson } from "../../terminal/input.ts";
import { holdOutput, note, visible } from "../../terminal/output.ts";
import { isAttended, typedLine } from "../../terminal/prompt.ts";
import { hintAtWait, onWaits } from "../../terminal/waiting-hint.ts";
import { questionPages } from "./question-text.ts";

interface Asking {
  queue: ApprovalQueue;
  entry: ApprovalEntry;
  by: Principal;
  /** Whether it can wait for an answer of another day. */
  isKept: boolean;
  /** Aborts when the question is answered elsewhere, or its call is over. */
  over: AbortSignal;
}

/** Questions that only this process knows: for a rig without a store, where somebody is there to answer them. */
export function queueHere({ store, approve }: RigOptions): ApprovalQueue | undefined {
  return store === undefined && approve === undefined && isAttended() ? new ApprovalQueue() : undefined;
}

/**
 * Asks whoever sits at the terminal what calls ask, one question after the other. Where nobody does, or with `detach`, it
 * says how each is answered.
 */
export function answerHere(
  rig: Pick<Place, "events" | "store" | "approvals">,
  {
    queue = rig.approvals,
    detach = false,
  }: { queue?: ApprovalQueue | undefined; detach?: boolean | undefined } = {},
): void {
  let last = Promise.resolve();
  onWaits(rig, (event) => {
    if (queue === undefined || detach || event.waiting.kind !== "approval" || !isAttended()) {
      if (rig.store !== undefined) hintAtWait(event);
      return;
    }
    const over = endOf(rig, event.executionId);
    const isKept = rig.store !== undefined;
    last = last.then(() => ask(queue, event, isKept, over)).catch((error) => note(messageOf(error), "bad"));
  });
}

function endOf({ events }: Pick<Place, "events">, executionId: string): AbortSignal {
  const controller = new AbortController();
  const stop = events.on((event) => {
    if (event.executionId !== executionId || !["call.resumed", "call.end"].includes(event.type)) return;
    controller.abort();
    stop();
  });
  return controller.signal;
}

async function ask(
  queue: ApprovalQueue,
  event: Extract<CallEvent, { type: "call.waiting" }>,
  isKept: boolean,
  over: AbortSignal,
): Promise<void> {
  const entry = await queue.store.get(event.executionId);
  if (over.aborted) return;
  if (entry === undefined) return hintAtWait(event);
  const by = { id: userName(undefined) };
  const release = holdOutput();
  const isAnswered = await answeredBy({ queue, entry, by, isKept, over }).finally(release);
  if (isAnswered || over.aborted) return;
  if (isKept) hintAtWait(event);
  else await queue.deny(event.executionId, { by, reason: "nobody answered" });
}

/** Whether the question was answered. What could not run is told, and asked again. */
async function answeredBy(asking: Asking): Promise<boolean> {
  if (!(await showPages(asking))) return false;
  const leave = asking.isKept ? ", (l)eave it waiting" : "";
  for (;;) {
    const answer = await typedLine(`Let it run? (y)es, (n)o, (e)dit its arguments${leave}: `, asking.over);
    if (answer === undefined || (asking.isKept && /^l(eave)?$/i.test(answer))) return false;
    try {
      if (await acted(answer.toLowerCase(), asking)) return true;
    } catch (error) {
      if (!ToolrigError.isInstance(error)) throw error;
      tell(error.message);
    }
  }
}

/** All of it, a page at a time: nobody approves what they have not seen. */
async function showPages({ entry, over }: Asking): Promise<boolean> {
  const pages = questionPages(entry);
  for (const [index, lines] of pages.entries()) {
    for (const line of lines) tell(line);
    if (index === pages.length - 1) return true;
    const next = await typedLine(`Page ${index + 1} of ${pages.length}. Enter for the next: `, over);
    if (next === undefined) return false;
  }
  return true;
}

async function acted(answer: string, { queue, entry, by, over }: Asking): Promise<boolean> {
  const { executionId, fingerprint, args } = entry.pending;
  if (/^y(es)?$/.test(answer)) {
    await queue.approve(executionId, { by, fingerprint });
    return true;
  }
  if (/^no?$/.test(answer)) {
    const reason = await typedLine("Why, for the model (may be empty): ", over);
    if (reason === undefined) return false;
    await queue.deny(executionId, { by, ...(reason !== "" && { reason }) });
    return true;
  }
  if (!/^e(dit)?$/.test(answer)) return false;
  const before = `${JSON.stringify(args, undefined, 2)}\n`;
  const text = await editText(before, "arguments.json");
  if (text === before) {
    tell("Nothing was changed.");
    return false;
  }
  await queue.approve(executionId, { by, args: parseJson(text, "The text"), fingerprint });
  return true;
}

/** What is said while everything else is kept back. */
function tell(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}
