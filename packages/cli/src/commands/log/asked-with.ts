import type { StoredRecord } from "@toolrig/store";

/** The arguments that a call ran with; where it was refused before they were read, those that were sent. */
export function askedWith({ args, rawArguments }: StoredRecord): unknown {
  return args ?? rawArguments ?? {};
}
