import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { type Principal, ToolrigError, type Waits } from "@toolrig/core";
import { messageOf, waitId } from "@toolrig/core/kit";
import { answer } from "../../wire/answer.ts";
import { type Answering, type Completing, readAnswering, readCompleting } from "../../wire/completions.ts";
import { listen, type Refusals } from "../../wire/listen.ts";
import { keyPrefix, pipelineIdOf, readExecuteSubject, SUBJECT } from "../../wire/names.ts";
import { isRelayed } from "../../wire/relayed.ts";
import type { Signatures } from "../../wire/signature.ts";
import { withExecution } from "../as-asked.ts";
import { type CallerRights, principalOf } from "../caller-rights.ts";
import type { Early } from "./early.ts";
import type { ParkedWait } from "./parked-wait.ts";
import type { ParkedWaits } from "./parked-waits.ts";

export interface CompletionParts {
  waits: Waits;
  store: ParkedWaits;
  early: Early;
  callers: Readonly<Record<string, CallerRights>> | undefined;
  signatures: Signatures;
  refusals: Refusals;
}

/**
 * Takes what calls wait for from whoever brings it: results under `tool.complete`, with their tokens, and answers under
 * `tool.answer.KEY`, from the caller of the call. One worker takes each, and says whether it counts.
 */
export function listenForCompletions(connection: NatsConnection, parts: CompletionParts): void {
  const { refusals, signatures } = parts;
  const queue = "tool-complete";
  const take = (act: (message: Msg) => Promise<void>) => (message: Msg) => {
    if (isRelayed(message.headers)) return;
    void act(message)
      .then(
        () => ({ ok: true }),
        (error: unknown) => ({ ok: false, ...problemOf(error) }),
      )
      .then((told) => connection.isClosed() || answer(message, JSON.stringify(told)));
  };
  const complete = take(async (message) => {
    if (signatures.demanded) checked(() => signatures.checkAny(saidIn(message)));
    await completeCall(readCompleting(message.string()), parts);
  });
  const reply = take(async (message) => {
    const key = message.subject.slice(SUBJECT.answer.length + 1);
    if (signatures.demanded) checked(() => signatures.check(keyPrefix(key), saidIn(message)));
    await answerCall(key, readAnswering(message.string()), parts);
  });
  listen(connection, SUBJECT.complete, complete, { queue, refusals });
  listen(connection, `${SUBJECT.answer}.>`, reply, { queue, refusals });
}

function saidIn(message: Msg) {
  return { subject: message.subject, headers: message.headers, text: message.string() };
}

function checked(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw new ToolrigError("COMPLETION_REFUSED", `The message was refused: ${messageOf(error)}.`);
  }
}

function problemOf(error: unknown): { code: string; message: string } {
  return { code: ToolrigError.isInstance(error) ? error.code : "STORE_FAILED", message: messageOf(error) };
}

async function completeCall(completing: Completing, parts: CompletionParts) {
  const { execution, token, given, update } = completing;
  const { waits, store, early } = parts;
  const wasHeld = await early.hold(completing);
  if (update !== undefined) return waits.progress(execution, token, update);
  try {
    await waits.complete(execution, token, given);
  } catch (error) {
    if (wasHeld && (await early.hasCounted(completing))) return;
    if (ToolrigError.isInstance(error) && error.code === "COMPLETION_REFUSED") throw error;
    // It counts as soon as the wait has ended by it; another worker may see to the rest.
    const wait = await store.get(waitId(execution, "result"));
    if (wait?.end?.how !== "completed") throw error;
  }
}

async function answerCall(key: string, { question, by, ...said }: Answering, parts: CompletionParts) {
  const { waits, store } = parts;
  const id = withExecution(pipelineIdOf(key), question);
  const wait = await store.get(id);
  if (wait?.kind !== "question" || wait.fleet?.key !== key)
    throw new ToolrigError("COMPLETION_REFUSED", `No question waits under ${question}.`);
  await waits.answer(id, { ...said, by: asWhom(wait, by, parts) });
}

/** An account answers as whom it may call. */
function asWhom(
  { fleet }: ParkedWait,
  said: Principal,
  { callers, signatures }: Pick<CompletionParts, "callers" | "signatures">,
): Principal {
  const imported = readExecuteSubject(fleet?.subject ?? "")?.account;
  const account = imported ?? (signatures.demanded ? keyPrefix(fleet?.key ?? "") : undefined);
  return account === undefined ? said : (principalOf(account, said, callers) ?? said);
}
