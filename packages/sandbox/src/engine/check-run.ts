import { type Checks, check, messageOf } from "@toolrig/core/kit";
import type { SandboxRun } from "./run.ts";

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
export function checkAnswers(field: string, answers: unknown, checks: Checks): void {
  checks.list(field, answers, "a list of { id, answer }");
  for (const [index, each] of (answers as unknown[]).entries()) {
    checks.object(`${field}[${index}]`, each, "{ id, answer }");
    checkAnswer(`${field}[${index}].answer`, (each as { answer?: unknown }).answer);
  }
}

/** What `onCall` gave. */
export function checkAnswer(field: string, answer: unknown): void {
  check.object(field, answer, "{ status, ... }");
  check.oneOf(`${field}.status`, (answer as { status?: unknown }).status ?? null, STATUSES);
}
