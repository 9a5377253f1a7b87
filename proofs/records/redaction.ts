import { Redactor } from "@toolrig/core";
import { INNOCENTS } from "./redaction/innocents.ts";
import { SECRETS } from "./redaction/secrets.ts";

export interface RedactionRow {
  what: string;
  saw: string;
  ok: boolean;
  skipped?: true;
}

/** Every secret of the list is removed, and nothing is removed from what holds none. */
export function redactionTable(): RedactionRow[] {
  const redactor = new Redactor();
  const clean = (given: unknown) =>
    typeof given === "string" ? redactor.text(given) : JSON.stringify(redactor.value(given));
  const leaks = SECRETS.filter(({ given, secret }) => holds(clean(given), secret));
  const wrong = INNOCENTS.filter((given) => clean(given) !== asText(given));
  return [
    {
      what: "secrets are removed",
      saw: `${SECRETS.length - leaks.length} of ${SECRETS.length}`,
      ok: leaks.length === 0 && SECRETS.length >= 600,
    },
    {
      what: "innocent texts stay as they are",
      saw: `${INNOCENTS.length - wrong.length} of ${INNOCENTS.length}`,
      ok: wrong.length === 0 && INNOCENTS.length >= 150,
    },
    ...leaks.map(({ what, given }) => ({ what: `  leaks: ${what}`, saw: clean(given), ok: false })),
    ...wrong.map((given) => ({ what: `  wrong: ${asText(given)}`, saw: clean(given), ok: false })),
  ];
}

/** The whole secret, or enough of it to be of use. */
function holds(text: string, secret: string): boolean {
  return text.includes(secret) || (secret.length >= 12 && text.includes(secret.slice(-8)));
}

function asText(given: unknown): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}
