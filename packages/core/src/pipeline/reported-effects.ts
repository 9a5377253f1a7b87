import { checkedEffects, type Effect, effectProblem } from "../call/effects.ts";
import { renderText, toPlain } from "../plain.ts";
import type { Resolved } from "./execution.ts";

/** Characters of a wrong effect that the author of its tool is shown. */
const MAX_SHOWN = 200;

/**
 * Adds effects that a tool, guard or hook reported, as plain data: they are stored and sent, and must not fail there. A value
 * that is no effect is kept in a custom effect, since something was changed all the same, and the author is told in the call's log.
 */
export function addReported(execution: Resolved, given: readonly unknown[]): void {
  const plain = given.map(toPlain);
  for (const each of plain) {
    const problem = effectProblem(each);
    if (problem === undefined) continue;
    const message = `${execution.tool.name} reported an effect that is none: ${problem}. It is kept as a custom effect: ${renderText(each).slice(0, MAX_SHOWN)}`;
    execution.emit({ type: "call.log", level: "warn", message });
  }
  const effects: Effect[] = checkedEffects(plain);
  if (execution.effects === undefined) execution.effects = effects;
  else execution.effects.push(...effects);
}
