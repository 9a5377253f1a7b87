import type { ArgumentIssue } from "../failure/failure.ts";
import { atMost } from "./issues.ts";
import type { StandardIssue } from "./standard.ts";
import type { Validator } from "./validate.ts";

/**
 * What is wrong with a value that a schema library refused. Where the JSON Schema finds something at the same place or
 * inside it, its words are taken: they say what was expected and what came. Never empty.
 */
export function explainRefusal(
  validator: Validator,
  value: unknown,
  refusal: readonly StandardIssue[],
): ArgumentIssue[] {
  const known = validator.issues(value);
  const issues = new Set<ArgumentIssue>();
  for (const refused of refusal) {
    const place = placeOf(refused);
    const same = known.filter(({ path }) => path === place);
    const told = same.length > 0 ? same : known.filter(({ path }) => path.startsWith(`${place}/`));
    if (told.length === 0) issues.add(libraryIssue(refused, place));
    for (const issue of told) issues.add(issue);
  }
  return atMost([...issues]);
}

/** The JSON Pointer of what a library refused. Its path may be a list of its own class, which maps in its own way. */
export function placeOf({ path }: StandardIssue): string {
  return keysOf(path)
    .map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** An issue of a JSON Schema as a library tells it. */
export function asRefusal({ path, message }: ArgumentIssue): StandardIssue {
  const keys = path.split("/").slice(1);
  return { message, path: keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")) };
}

function keysOf(path: StandardIssue["path"]): string[] {
  return Array.from(path ?? [], (part) =>
    String(typeof part === "object" && part !== null ? part.key : part),
  );
}

function libraryIssue({ message, path }: StandardIssue, place: string): ArgumentIssue {
  const keys = keysOf(path);
  const text = keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  return { path: place, expected: message, received: "", message: text };
}
