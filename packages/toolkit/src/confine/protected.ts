import { denied } from "@toolrig/core";
import { meansAny } from "@toolrig/core/kit";
import { shownPath } from "./path-text.ts";

/** What is never changed unless `protect` says otherwise: what Git runs and trusts, and where secrets are kept. */
export const PROTECTED: readonly string[] = ["**/.git/**", "**/.env", "**/.env.*"];

/** Throws a failure when one of the paths is protected: as it was written, and as it really is. */
export function checkProtected(paths: readonly string[], patterns: readonly string[]): void {
  const hit = paths.find((path) => meansAny(path, patterns));
  if (hit !== undefined) throw denied(`${shownPath(hit)} is protected and cannot be changed.`);
}
