import { cutPlace } from "../../call/content.ts";
import type { Redactor } from "../../call/redact.ts";

/**
 * Where a text may be cut so that the rules for secrets find in each part what they find in the whole: a secret that is cut in two,
 * or off from its name, would be recorded.
 */

/** Of the surroundings of a cut, as much as the rules may need. */
const NEAR = 4_000;

/** What comes after the head: a secret that is left open would go on in it. */
const NEXT = "\n[…";

/** `end`, or a place before it. */
export function endOfHead(text: string, end: number, redactor: Redactor): number {
  const from = Math.max(0, end - NEAR);
  const whole = redactor.text(text.slice(from, end + NEAR));
  for (let at = end, step = 1; at > from; step *= 2) {
    const head = redactor.text(text.slice(from, at) + NEXT);
    if (head.endsWith(NEXT) && whole.startsWith(head.slice(0, -NEXT.length))) return at;
    at = text.slice(from, Math.max(from, at - step)).search(/\s\S*$/) + from;
  }
  return cutPlace(text, from);
}

/** `start`, or a place after it. */
export function startOfTail(text: string, start: number, redactor: Redactor): number {
  const until = Math.min(text.length, start + NEAR);
  const whole = redactor.text(text.slice(Math.max(0, start - NEAR), until));
  for (let at = start, step = 1; at < until; step *= 2) {
    if (whole.endsWith(redactor.text(text.slice(at, until)))) return at;
    const space = text.slice(at + step, until).search(/\s/);
    at = space === -1 ? until : at + step + space;
  }
  return cutPlace(text, until);
}
