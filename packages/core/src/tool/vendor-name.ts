import { sha256 } from "../sha256.ts";

/** What every vendor takes. */
const TAKEN = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** The end of a name that was made here. A name that only looks so is replaced as well, so that no tool can pose as another. */
const MADE = /_[0-9a-f]{16}$/;

/**
 * The name under which a vendor is told of a tool: its own where vendors take that, else one made of it. Depends on nothing
 * but the name, so that what a conversation once said stays true, and no two names become the same.
 */
export function vendorName(name: string): string {
  if (TAKEN.test(name) && !MADE.test(name)) return name;
  const readable = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").replace(/^(?=[0-9-])/, "_");
  return `${readable.slice(0, 47)}_${sha256(name).slice(0, 16)}`;
}

/** Whether a vendor may have been told of a tool of another name under this one. */
export function mayBeMade(name: string): boolean {
  // Nearly every name is told by one character.
  return name.at(-17) === "_" && TAKEN.test(name) && MADE.test(name);
}

/** Names of tools for a vendor and back. A name that the vendor was not told of is left as it is. */
export interface VendorNames {
  to(name: string): string;
  from(name: string): string;
}

export function vendorNames(definitions: Iterable<{ name: string }>): VendorNames {
  const names = new Map<string, string>();
  for (const { name } of definitions) {
    const told = vendorName(name);
    if (told !== name) names.set(told, name);
  }
  return { to: vendorName, from: (name) => names.get(name) ?? name };
}
