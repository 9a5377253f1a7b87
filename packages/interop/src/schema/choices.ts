import { defined } from "@toolrig/core/kit";
import type { Dialect } from "./dialect.ts";
import type { Loss, Projected } from "./projected.ts";

interface Loser {
  readonly dialect: Dialect;
  lose(path: Loss["path"], what: string, instead: string): void;
}

/** How many choices are named in words where they cannot all be given. */
const NAMED = 20;

export function choicesOf(schema: Record<string, unknown>): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, "const")) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Choices, as text where a vendor takes no others. A list that is too long becomes any value of its kind. */
export function projectChoices(
  projector: Loser,
  given: Record<string, unknown>,
  choices: readonly unknown[],
  path: string,
): Projected {
  const { dialect } = projector;
  const isLong = tooMany(dialect, choices);
  const type = given.type ?? typeOf(choices);
  if (isLong && type !== undefined) {
    projector.lose(path, `${choices.length} choices`, `any ${String(type)}; the first are named in words`);
    const some = choices.slice(0, NAMED).map((each) => JSON.stringify(each));
    const words = `One of ${choices.length} values, such as ${some.join(", ")}.`;
    return {
      schema: { type, description: [given.description, words].filter(Boolean).join(" ") },
      back: undefined,
    };
  }
  if (dialect.anyChoice) return { schema: { ...defined({ type }), enum: [...choices] }, back: undefined };
  return asText(dialect, choices);
}

function asText({ nullable }: Dialect, choices: readonly unknown[]): Projected {
  const texts = new Map<string, unknown>();
  for (const choice of choices)
    if (choice !== null || nullable === undefined) texts.set(labelOf(choice, texts), choice);
  const isNullable = nullable !== undefined && choices.includes(null);
  const isSame = [...texts].every(([text, choice]) => text === choice);
  return {
    schema: { type: "string", enum: [...texts.keys()], ...(isNullable && { [nullable]: true }) },
    back: isSame
      ? undefined
      : (value) => (typeof value === "string" && texts.has(value) ? texts.get(value) : value),
  };
}

/** A text for a choice that no other choice has. No vendor takes an empty one. */
function labelOf(choice: unknown, taken: ReadonlyMap<string, unknown>): string {
  const text = typeof choice === "string" ? choice : JSON.stringify(choice);
  let label = text === "" ? "(empty)" : text;
  while (taken.has(label)) label = `${label} (${typeof choice})`;
  return label;
}

function typeOf(choices: readonly unknown[]): string | undefined {
  const types = new Set(choices.map((choice) => (choice === null ? "null" : typeof choice)));
  const [only] = types;
  return types.size === 1 && (only === "string" || only === "number" || only === "boolean")
    ? only
    : undefined;
}

function tooMany({ limits }: Dialect, choices: readonly unknown[]): boolean {
  if (limits === undefined) return choices.length > 1_000;
  if (choices.length > limits.choices) return true;
  const characters = choices.reduce((sum: number, each) => sum + String(each).length, 0);
  return choices.length > limits.longList.choices && characters > limits.longList.characters;
}
