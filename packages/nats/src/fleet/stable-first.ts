import { newestFirst } from "@toolrig/core/kit";

/** Orders versions: what is released before what is not yet, and the newest first. Who asks for none gets no pre-release. */
export function stableFirst(a: string | undefined, b: string | undefined): number {
  const [early, alsoEarly] = [isPreRelease(a), isPreRelease(b)];
  return early === alsoEarly ? newestFirst(a, b) : early ? 1 : -1;
}

export function isPreRelease(version: string | undefined): boolean {
  return version !== undefined && /^[\d.]+-/.test(version);
}
