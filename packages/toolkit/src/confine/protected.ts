import { denied } from "@toolrig/core";
import { meansAny } from "@toolrig/core/kit";
import { shownPath } from "./path-text.ts";
import type { Place } from "./roots.ts";

/** What is never changed unless `protect` says otherwise: what Git runs and trusts, and where secrets are kept. */
export const PROTECTED: readonly string[] = ["**/.git/**", "**/.env", "**/.env.*"];

/** Throws a failure for a place that is protected. Asked of a path as it is written, and of where it leads. */
export function checkProtected({ shown }: Place, patterns: readonly string[]): void {
  if (meansAny(shown, patterns)) throw denied(`${shownPath(shown)} is protected and cannot be changed.`);
}
