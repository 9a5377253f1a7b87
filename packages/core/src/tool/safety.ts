import { type Deed, SIDE_EFFECTS, type SideEffects } from "../call/effects.ts";

export { SIDE_EFFECTS, type SideEffects };

/**
 * What a tool does to the world. One declaration decides retry, memo, how much argument repair is allowed, whether
 * extracted calls need approval, and what happens after a crash.
 */
export interface Safety extends Deed {
  sideEffects: SideEffects;
  /** Running twice with the same arguments leaves the world as running once does. */
  idempotent: boolean;
  /** Capabilities the tool needs, such as "filesystem" or "network". */
  requires: readonly string[];
}

/** A tool that declares nothing gets the most careful row of every rule. */
export const UNDECLARED: Safety = Object.freeze({ sideEffects: "external", idempotent: false, requires: [] });

/** Whether running the tool may change something that outlives the call. */
export function hasSideEffects(safety: Deed): boolean {
  return safety.sideEffects === "write" || safety.sideEffects === "external";
}

/** Whether the tool may run again when it is not known if it ran before. */
export function mayRepeat(safety: Deed): boolean {
  return safety.idempotent || !hasSideEffects(safety);
}

/** Whether running a tool does more to the world than another one says of itself. */
export function exceeds(did: Deed, declared: Deed): boolean {
  if (SIDE_EFFECTS.indexOf(did.sideEffects) > SIDE_EFFECTS.indexOf(declared.sideEffects)) return true;
  return !mayRepeat(did) && mayRepeat(declared);
}

/** What a nested call lacks: it never has a capability that the tool that makes it does not have. */
export function missingFrom(caller: Safety, callee: Safety): string[] {
  return callee.requires.filter((each) => !caller.requires.includes(each));
}
