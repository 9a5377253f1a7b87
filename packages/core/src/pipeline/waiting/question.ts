import { isDone, isStopped, PREPARING, RUNNING, TAKEN } from "../../call/call-state.ts";
import { fingerprintOf } from "../../call/fingerprint.ts";
import { joinLabels } from "../../call/labels.ts";
import type { Principal } from "../../call/principal.ts";
import type { ToolResult } from "../../call/result.ts";
import { wallTime } from "../../clock.ts";
import { defined } from "../../defined.ts";
import { failure, validation } from "../../failure/failure.ts";
import { check } from "../../options/check.ts";
import { type Duration, parseDuration } from "../../options/duration.ts";
import { messageOf } from "../../plain.ts";
import { type AcceptedSchema, acceptSchema } from "../../schema/accept.ts";
import { validatorFor } from "../../schema/validate.ts";
import { type AskedQuestion, passQuestions } from "../../stores/asked-question.ts";
import { addParked, type EndedWait, hasEnded, type Wait, waitId } from "../../stores/waits.ts";
import { type Question, type QuestionAnswer, questionOptions } from "../../tool/context.ts";
import { mayRepeat } from "../../tool/safety.ts";
import { closeLedger } from "../close-ledger.ts";
import type { Resolved } from "../execution.ts";
import { inTime } from "../interruption.ts";
import { readBy } from "../read-by.ts";
import type { Services } from "../services.ts";
import { tellResumed } from "./conclude.ts";
import { endWait } from "./end-wait.ts";
import { type LeftCall, leftCall } from "./left-call.ts";
import { atRest } from "./rest.ts";
import { shownOf, waitingResult } from "./waiting-result.ts";

const TEXT: AcceptedSchema = { jsonSchema: { type: "string" } };
const EXPIRES: Duration = "24h";

/** A question as it is kept and shown. */
interface KeptQuestion extends AskedQuestion {
  left?: LeftCall;
}

/** What a person says to a question of a tool. Of a question that was asked before, the answer that it got. */
export async function askPerson(
  execution: Resolved,
  question: Question,
  times: number,
): Promise<QuestionAnswer> {
  const { services } = execution;
  const schema = checkQuestion(question);
  // A tool that says what it has changed, and may not do so twice, is not started again: its intent stays open.
  const restarts = (execution.effects ?? []).length === 0 || mayRepeat(execution.tool.safety);
  const asked = waitFor(execution, question, schema, { times, restarts });
  const known = await inTime(execution, Promise.resolve(services.waits.get(asked.id)));
  if (known !== undefined && hasEnded(known)) {
    // Whoever goes on with the tool may have seen nothing of the run.
    execution.read = joinLabels(execution.read, (known.body as AskedQuestion).read);
    await unlessStopped(execution, passQuestions(services.waits, execution.id));
    return answerOf(known, schema);
  }
  if (isDone(execution.state))
    throw failure({ code: "TOOL_CANCELLED", message: "The call is over and asks nothing more." });
  const written = write(execution, asked, restarts);
  const wait = await (restarts ? unlessStopped(execution, written) : inTime(execution, written));
  services.keeper.wake(wait.nextAt);
  if (isStopped(execution.state)) return new Promise(() => {});
  const parks = restarts && !execution.isHeld;
  execution.emit({ type: "call.waiting", waiting: shownOf(wait), parked: parks });
  if (parks) return leave(execution, waitingResult(execution, shownOf(wait)));
  const ended = await atRest(execution, untilAnswered(execution, wait));
  if (isStopped(execution.state)) return new Promise(() => {});
  if (!(await unlessStopped(execution, goesOn(execution, wait)))) return lose(execution);
  tellResumed(execution, ended);
  return answerOf(ended, schema);
}

/** Stores that the code goes on with an answer, before it does. False when another process went on with the call. */
async function goesOn(execution: Resolved, answered: Wait): Promise<boolean> {
  const { services, id } = execution;
  await passQuestions(services.waits, id);
  const wasParked = execution.state.at === "asking" && execution.state.restarts;
  asksNoMore(execution, answered);
  return !wasParked || (await services.ledger.unpark?.(id)) !== false;
}

/** One question more is open. */
function asksAlso(execution: Resolved, wait: Wait): void {
  const { state } = execution;
  const waiting = shownOf(wait);
  execution.move(
    state.at === "asking"
      ? { ...state, open: [...state.open, waiting] }
      : { at: "asking", open: [waiting], restarts: false },
  );
}

/** One question less is open, and the code runs on: it cannot be started again as if it only asked. */
function asksNoMore(execution: Resolved, { id }: Wait): void {
  const { state } = execution;
  if (state.at !== "asking") return;
  const [first, ...others] = state.open.filter((waiting) => waiting.id !== id);
  execution.move(first === undefined ? RUNNING : { at: "asking", open: [first, ...others], restarts: false });
}

/**
 * What a write about the place of the code comes to. When it fails or takes too long, nobody can say whether the stores take the
 * call for one that waits, so the code does not go on: the attempt ends here.
 */
async function unlessStopped<T>(execution: Resolved, written: Promise<T>): Promise<T> {
  try {
    return await inTime(execution, written);
  } catch (error) {
    // The question may be stored after all, and nobody needs to answer it.
    written.then(() => takeBackQuestions(execution)).catch(() => {});
    const message = `${execution.tool.name} was stopped where it asked: ${messageOf(error)}.`;
    execution.running?.suspend(
      execution.failed({ code: execution.cancelled ? "TOOL_CANCELLED" : "TOOL_UNAVAILABLE", message }),
    );
    return new Promise(() => {});
  }
}

/** What was said so far to what a call asks that waits for its result. */
export async function askMeanwhile(
  services: Services,
  { executionId, callId, name, runId, principal }: Wait,
  question: Question,
  onAsked: (wait: Wait) => void,
): Promise<QuestionAnswer | undefined> {
  const schema = checkQuestion(question);
  const asker = { services, id: executionId, callId, name, runId, principal };
  const asked = questionWait(asker, question, {
    message: question.message,
    schema: schema.jsonSchema,
    attempts: 1,
  });
  const known = await services.waits.get(asked.id);
  const wait = known ?? (await services.waits.add(asked));
  services.keeper.wake(wait.nextAt);
  if (known === undefined) onAsked(wait);
  return hasEnded(wait) ? answerOf(wait, schema) : undefined;
}

async function write(execution: Resolved, asked: Wait, restarts: boolean): Promise<Wait> {
  const { services } = execution;
  asksAlso(execution, asked);
  const isParked = execution.state.at === "asking" && execution.state.restarts;
  if (!restarts || isParked) return services.waits.add(asked);
  const { wait, parked } = await addParked(services.waits, services.ledger, asked);
  if (parked && execution.state.at === "asking") execution.move({ ...execution.state, restarts: true });
  return wait;
}

/** The code is left where it is, for good: it is started again when the answer has come. */
function leave(execution: Resolved, result: ToolResult): Promise<never> {
  execution.move({ at: "suspended", until: "answer" });
  execution.running?.suspend(result);
  return new Promise(() => {});
}

/** Another process has started the tool again with the answer. What this one would do now, that one does. */
function lose(execution: Resolved): Promise<never> {
  if (!isDone(execution.state)) execution.move(TAKEN);
  const message = `Execution ${execution.id} went on in another process; ask for it again later.`;
  execution.running?.suspend(execution.failed({ code: "TOOL_UNAVAILABLE", message }));
  return new Promise(() => {});
}

async function untilAnswered(execution: Resolved, wait: Wait): Promise<EndedWait> {
  const { services, options } = execution;
  const seen = await services.watch.until(wait.id, execution.interrupted);
  if (seen !== undefined) return seen.wait;
  if (options.signal?.aborted !== true) return new Promise(() => {});
  return cancelled(execution, wait);
}

async function cancelled({ services }: Resolved, wait: Wait): Promise<EndedWait> {
  const ended = await endWait(services, wait, "cancelled", { body: { reason: "the call was cancelled" } });
  return ended.wait;
}

function checkQuestion(question: Question): AcceptedSchema {
  if (question === undefined) throw check.invalid("question", "{ message, schema }", question);
  questionOptions.check(question, "question");
  return question.schema === undefined ? TEXT : acceptSchema(question.schema, "question.schema");
}

function waitFor(
  execution: Resolved,
  question: Question,
  { jsonSchema }: AcceptedSchema,
  { times, restarts }: { times: number; restarts: boolean },
): Wait {
  const { services, id, call, tool, options, attempts } = execution;
  const { runId, principal } = options;
  const left = leftCall(execution);
  const read = readBy(execution);
  const asked = {
    ...{ message: question.message, schema: jsonSchema, attempts },
    ...defined({ read }),
    ...(restarts && { restarts }),
  };
  const asker = { services, id, callId: call.id, name: tool.name, runId, principal };
  return questionWait(asker, question, left === undefined ? asked : { ...asked, left }, times);
}

/** Which call asks. */
interface Asker {
  services: Services;
  id: string;
  callId: string;
  name: string;
  runId: string | undefined;
  principal: Principal | undefined;
}

function questionWait(
  { services, id, callId, name, runId, principal }: Asker,
  question: Question,
  body: KeptQuestion,
  times = 1,
): Wait {
  const createdAt = wallTime(services.clock);
  const expiresAt = createdAt + parseDuration(question.expires ?? EXPIRES, "expires");
  const key = fingerprintOf({ name: question.message, version: undefined }, body.schema);
  return {
    id: waitId(id, `question-${key}${times === 1 ? "" : `.${times}`}`),
    kind: "question",
    executionId: id,
    callId,
    name,
    ...defined({ runId, principal }),
    note: services.redactor.text(question.message),
    createdAt,
    expiresAt,
    nextAt: expiresAt,
    body,
  };
}

/** What is wrong with an answer; empty when nothing is. */
export function issuesOfAnswer({ body }: Wait, value: unknown): readonly { message: string }[] {
  return validatorFor((body as AskedQuestion).schema).issues(value);
}

async function answerOf({ end }: EndedWait, { parse }: AcceptedSchema): Promise<QuestionAnswer> {
  const { reason, value } = (end.body ?? {}) as { reason?: string; value?: unknown };
  const why = reason === undefined ? {} : { reason };
  if (end.how === "declined") return { status: "declined", ...why };
  if (end.how === "expired") return { status: "cancelled", reason: "nobody answered in time" };
  if (end.how !== "answered") return { status: "cancelled", ...why };
  const parsed = await parse?.(value);
  if (parsed?.issues !== undefined)
    throw validation(`The answer cannot be used: ${parsed.issues.map(({ message }) => message).join("; ")}`);
  return { status: "answered", value: parsed === undefined ? value : parsed.value } as QuestionAnswer;
}

/** A call that is over asks nothing more. */
export async function takeBackQuestions({ services, id }: Resolved): Promise<void> {
  for (const wait of await services.waits.list({ executionId: id, kind: "question", open: true }))
    await endWait(services, wait, "cancelled", { body: { reason: "the call is over" } });
}

/**
 * Waits until every question of a parked call is answered. Its code does not run meanwhile, so that a process which dies here
 * leaves the call as it found it. Returns the answer to the caller where the call cannot go on yet: it is not held, or cancelled.
 */
export async function untilNothingIsAsked(execution: Resolved): Promise<ToolResult | undefined> {
  const { services, options } = execution;
  for (let open = await openQuestion(execution); open !== undefined; open = await openQuestion(execution)) {
    const waiting = shownOf(open);
    services.keeper.wake(open.nextAt);
    execution.emit({ type: "call.waiting", waiting, parked: !execution.isHeld });
    if (!execution.isHeld) return waitingResult(execution, waiting);
    execution.move({ at: "asking", open: [waiting], restarts: true });
    const seen = await atRest(execution, services.watch.until(open.id, execution.interrupted));
    if (options.signal?.aborted === true)
      return giveUp(execution, seen?.wait ?? (await cancelled(execution, open)));
    if (seen === undefined) {
      execution.move({ at: "suspended", until: "answer" });
      execution.emit({ type: "call.waiting", waiting, parked: true });
      return waitingResult(execution, waiting);
    }
    execution.move(PREPARING);
    tellResumed(execution, seen.wait);
  }
  return undefined;
}

/** The caller does not wait any more, and the code has never gone on: what it did before it asked is all that it did. */
async function giveUp(execution: Resolved, ended: EndedWait): Promise<ToolResult> {
  tellResumed(execution, ended);
  const message = `The call was cancelled while ${execution.tool.name} waited for an answer.`;
  const result = execution.failed({ code: "TOOL_CANCELLED", message });
  await closeLedger(execution, result);
  return result;
}

/** The question that an execution waits with; undefined when all of its questions are answered. */
async function openQuestion({ services, id }: Resolved): Promise<Wait | undefined> {
  const [open] = await services.waits.list({ executionId: id, kind: "question", open: true, limit: 1 });
  return open;
}

/** How often the tool had been started when it last asked. */
export async function attemptsBefore({ services, id }: Resolved): Promise<number> {
  const asked = await services.waits.list({ executionId: id, kind: "question" });
  return asked.reduce((most, { body }) => Math.max(most, (body as AskedQuestion).attempts), 1);
}
