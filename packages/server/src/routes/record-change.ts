import { defined } from "@toolrig/core/kit";
import type { AdministrativeChange } from "@toolrig/store";
import type { Caller } from "../http/route.ts";
import type { Context } from "./context.ts";

/** Puts what a caller changed into the audit chain of the rig's store, without secrets. */
export function recordChange(
  { rig, redactor }: Context,
  { principal }: Caller,
  action: AdministrativeChange["action"],
  subject: string,
  details?: Readonly<Record<string, unknown>>,
): void {
  const told = details === undefined ? undefined : (redactor.value(details) as Record<string, unknown>);
  rig.store?.records.storeChange({ action, subject, by: principal, ...defined({ details: told }) });
}
