import { environmentOf } from "@toolrig/core/kit";

/**
 * The whole environment of a server's process: a few harmless variables of this one (PATH, HOME, the language and the like) and what the
 * operator gave. No token of this process gets there by itself.
 */
export function childEnvironment(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  return environmentOf({ set: given }, process.env);
}
