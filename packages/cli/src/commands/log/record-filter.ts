import { check, defined, parseDuration } from "@toolrig/core/kit";
import type { RecordKind, RecordQuery } from "@toolrig/store";
import type { OptionTable } from "../../shell/command.ts";
import { EXIT_CODE } from "../../shell/exit-code.ts";

/** Options that say which records are meant. */
export const FILTER_OPTIONS = {
  tool: { type: "string", value: "NAME", describe: "only calls of this tool" },
  kind: { type: "string", value: "KIND", describe: 'only "ok", "error", or one kind of failure' },
  run: { type: "string", value: "RUN", describe: "only calls of this run" },
  since: { type: "string", value: "TIME", describe: 'ended at or after: "2h" ago, or 2026-01-31T12:00Z' },
  until: { type: "string", value: "TIME", describe: "ended before" },
  text: { type: "string", value: "WORDS", describe: "words in the arguments, the content or the failure" },
  path: { type: "string", value: "PATH", describe: "changed this file, or one in this folder" },
} as const satisfies OptionTable;

type FilterValues = { readonly [Name in keyof typeof FILTER_OPTIONS]?: string };

/** Throws `OPTION_INVALID`, naming the option. */
export function filterOf({ tool, kind, run, since, until, text, path }: FilterValues): RecordQuery {
  return {
    ...defined({ tool }),
    ...(kind !== undefined && { kind: kindOf(kind) }),
    ...defined({ runId: run }),
    ...(since !== undefined && { since: timeOf(since, "--since") }),
    ...(until !== undefined && { until: timeOf(until, "--until") }),
    ...defined({ text, path }),
  };
}

function kindOf(text: string): RecordKind {
  const kinds = ["ok", "error", ...Object.keys(EXIT_CODE)];
  if (kinds.includes(text)) return text as RecordKind;
  throw check.invalid("--kind", `one of ${kinds.join(", ")}`, text);
}

/** Epoch milliseconds of a date, or of so long ago. */
function timeOf(text: string, option: string): number {
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text);
  try {
    return Date.now() - parseDuration(text, option);
  } catch {
    throw check.invalid(option, 'a date such as 2026-01-31T12:00Z, or how long ago such as "2h"', text);
  }
}
