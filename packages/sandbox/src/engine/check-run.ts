import { check, messageOf } from "@toolrig/core/kit";
import type { SandboxHost, SandboxRun } from "./run.ts";

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Globals that the engine does not let anybody define. */
const TAKEN = ["tools", "console", "undefined", "NaN", "Infinity", "globalThis"];

/** Throws `OPTION_INVALID`. */
export function checkHost({ onCall, onLog, signal, principal, boundTo }: SandboxHost): void {
  if (onCall !== undefined) check.function("onCall", onCall);
  if (onLog !== undefined) check.function("onLog", onLog);
  if (principal !== undefined) check.string("principal", principal);
  if (boundTo !== undefined && typeof boundTo !== "string")
    throw check.invalid("boundTo", "text, such as an execution's id", boundTo);
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw check.invalid("signal", "an AbortSignal, such as controller.signal", signal);
}

export function checkRun({ code, filename, globals, tools }: SandboxRun): void {
  if (typeof code !== "string") throw check.invalid("code", "JavaScript text", code);
  if (filename !== undefined) check.string("filename", filename);
  if (globals !== undefined) check.object("globals", globals);
  for (const name of Object.keys(globals ?? {}))
    if (!IDENTIFIER.test(name) || TAKEN.includes(name))
      throw check.invalid("globals", `named by identifiers other than ${TAKEN.join(", ")}`, name);
  if (tools === undefined) return;
  const names = check.strings("tools", tools, "a list of names");
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw check.invalid("tools", "a list of different names", twice);
}

/** Values that the code is to see, as JSON. */
export function globalsText(globals: SandboxRun["globals"] = {}): string {
  try {
    return JSON.stringify(globals);
  } catch (error) {
    throw check.invalid("globals", "values that JSON can hold", messageOf(error));
  }
}

const STATUSES = ["done", "failed", "waiting"];

/** Answers to calls of a run that goes on. */
export function checkAnswers(answers: unknown): void {
  check.list("answers", answers, "a list of { id, answer }");
  for (const [index, each] of (answers as unknown[]).entries()) {
    check.object(`answers[${index}]`, each, "{ id, answer }");
    checkAnswer(`answers[${index}].answer`, (each as { answer?: unknown }).answer);
  }
}

/** What `onCall` gave. */
export function checkAnswer(field: string, answer: unknown): void {
  check.object(field, answer, "{ status, ... }");
  check.oneOf(`${field}.status`, (answer as { status?: unknown }).status ?? null, STATUSES);
}
