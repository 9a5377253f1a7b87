/**
 * What a tool does to the world. One declaration decides retry, memo, how much argument repair is allowed, whether
 * extracted calls need approval, and what happens after a crash.
 */
export type SideEffects = "none" | "read" | "write" | "external";

export interface Safety {
  sideEffects: SideEffects;
  /** Running twice with the same arguments leaves the world as running once does. */
  idempotent: boolean;
  /** Capabilities the tool needs, such as "filesystem" or "network". */
  requires: readonly string[];
}

/** A tool that declares nothing gets the most careful row of every rule. */
export const UNDECLARED: Safety = Object.freeze({ sideEffects: "external", idempotent: false, requires: [] });

/** Whether running the tool may change something that outlives the call. */
export function hasSideEffects(safety: Safety): boolean {
  return safety.sideEffects === "write" || safety.sideEffects === "external";
}

/** Whether the tool may run again when it is not known if it ran before. */
export function mayRepeat(safety: Safety): boolean {
  return safety.idempotent || !hasSideEffects(safety);
}

/** What a nested call lacks: it never has a capability that the tool that makes it does not have. */
export function missingFrom(caller: Safety, callee: Safety): string[] {
  return callee.requires.filter((each) => !caller.requires.includes(each));
}
