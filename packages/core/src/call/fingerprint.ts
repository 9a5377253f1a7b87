import { canonicalJson, hashText } from "../canonical.ts";
import { toPlain } from "../plain.ts";

/** Identifies what a call does: the tool, its version and its arguments. */
export function fingerprintOf(
  { name, version }: { name: string; version: string | undefined },
  args: unknown,
): string {
  return hashText(`${name}@${version ?? ""}:${argumentsText(args)}`);
}

/** A schema may turn arguments into what JSON cannot hold, such as a big integer. */
export function argumentsText(args: unknown): string {
  try {
    return canonicalJson(args);
  } catch {
    return canonicalJson(toPlain(args));
  }
}
