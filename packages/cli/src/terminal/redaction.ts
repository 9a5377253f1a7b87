import { type RedactOptions, Redactor } from "@toolrig/core";

let redactor = new Redactor();

/** From now on, what is shown is without the secrets that a config names. */
export function redactWith(rules: RedactOptions | Redactor | undefined): Redactor {
  redactor = rules instanceof Redactor ? rules : new Redactor(rules);
  return redactor;
}

/** A record, an event or an entry of a store without its secrets: its identifiers, hashes and times stay. */
export function redactedFact<Fact>(fact: Fact): Fact {
  return redactor.fact(fact);
}

/** A value that was kept or seen as it is, such as the arguments of a call, without its secrets. */
export function redacted<Value>(value: Value): Value {
  return redactor.value(value) as Value;
}

export function redactedText(text: string): string {
  return redactor.text(text);
}
