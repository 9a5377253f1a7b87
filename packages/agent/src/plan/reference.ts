import { ToolrigError } from "@toolrig/core";
import type { Action, MapAction, Reference, Step } from "./plan.ts";

/** What references stand for at one point of a plan. */
export type Scope = Pick<ReadonlyMap<string, unknown>, "get">;

const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)((?:\/[^{}\s]*)?)\s*\}\}/g;

export function isReference(value: unknown): value is Reference {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { $from, path, ...rest } = value as Record<string, unknown>;
  return (
    typeof $from === "string" &&
    (path === undefined || typeof path === "string") &&
    Object.keys(rest).length === 0
  );
}

/** All references in a value. */
export function referencesIn(value: unknown, found: Reference[] = []): Reference[] {
  if (isReference(value)) found.push(value);
  else if (typeof value === "object" && value !== null)
    for (const each of Object.values(value)) referencesIn(each, found);
  return found;
}

/** All references in a text. */
export function placeholdersIn(text: string): Reference[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, $from = "", path = ""]) =>
    path === "" ? { $from } : { $from, path },
  );
}

/** Everything a step refers to. */
export function referencesOf(step: Step): Reference[] {
  const condition = step.when === undefined ? [] : referencesIn(step.when.value);
  return [...condition, ...referencesOfAction(step)];
}

function referencesOfAction(action: Action | MapAction): Reference[] {
  switch (action.kind) {
    case "tool":
      return referencesIn(action.input);
    case "validate":
      return referencesIn(action.value);
    case "infer":
      return placeholdersIn(action.prompt);
    case "loop":
      return placeholdersIn(action.task);
    case "map":
      return [
        ...referencesIn(action.over),
        ...referencesOfAction(action.do).filter(({ $from }) => $from !== "item" && $from !== "index"),
      ];
  }
}

/** The value with its references filled in. Throws `ORCHESTRATION_STEP_MISMATCH` for one that leads nowhere. */
export function fill(value: unknown, scope: Scope): unknown {
  if (isReference(value)) return lookUp(value, scope);
  if (Array.isArray(value)) return value.map((each) => fill(each, scope));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, scope)]));
}

/** The text with its placeholders filled in; what is not text is written as JSON. */
export function fillText(text: string, scope: Scope): string {
  return text.replace(PLACEHOLDER, (_all, $from: string, path: string) => {
    const value = lookUp(path === "" ? { $from } : { $from, path }, scope);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function lookUp(reference: Reference, scope: Scope): unknown {
  const value = find(reference, scope);
  if (value !== undefined) return value;
  const { $from, path = "" } = reference;
  throw new ToolrigError(
    "ORCHESTRATION_STEP_MISMATCH",
    path === "" ? `"${$from}" gave nothing to refer to.` : `The output of "${$from}" has nothing at ${path}.`,
  );
}

/** Undefined for a place that is not there. */
export function find({ $from, path = "" }: Reference, scope: Scope): unknown {
  let value = scope.get($from);
  for (const key of keysOf(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The keys of a JSON Pointer. */
export function keysOf(path: string): string[] {
  if (path === "") return [];
  return path
    .replace(/^\//, "")
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}
