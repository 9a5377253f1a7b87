import type { ForeignDefinition } from "./definition.ts";

/** One definition that was accepted: by its hash, and as it was, so that a change can be shown. */
export interface Pin {
  hash: string;
  definition: ForeignDefinition;
}

/** Accepted definitions by the server's own names. */
export type Pins = Readonly<Record<string, Pin>>;

/** A tool that is not registered, or something else that is not offered, until somebody accepts it. */
export interface Quarantined extends Pin {
  /** The server's own name; with its kind before it, such as "prompt:greet", where it is no tool. */
  name: string;
  /** "new": not there when the connection was accepted. "changed": no longer what was accepted. */
  reason: "new" | "changed";
}

/** What is kept of a connection between processes. */
export interface PinRecord {
  /** Undefined until the first listing. */
  pins?: Pins | undefined;
  /** The same of prompts, templates and instructions, by kind and name. */
  offers?: Pins | undefined;
  /** As the server listed them last. */
  quarantined?: readonly Quarantined[] | undefined;
}

/**
 * Pins with some of the quarantined definitions accepted: all, or those of the tools that are named. What is accepted is what
 * was kept, and so what was shown: a server that lists something else by now is quarantined again.
 */
export function accept(
  record: PinRecord,
  names?: readonly string[],
): { record: PinRecord; accepted: string[] } {
  const { pins = {}, offers = {}, quarantined = [] } = record;
  const chosen = quarantined.filter(({ name }) => names === undefined || names.includes(name));
  // Names are the server's: "__proto__" is one like any other.
  const withThose = (known: Pins, isTool: boolean): Pins => {
    const added = chosen.filter(({ definition }) => (definition.kind === undefined) === isTool);
    const pinned = added.map(({ name, hash, definition }) => [name, { hash, definition }] as const);
    return Object.fromEntries([...Object.entries(known), ...pinned]);
  };
  const isOffered = record.offers !== undefined || chosen.some(({ definition }) => definition.kind);
  return {
    record: {
      pins: withThose(pins, true),
      ...(isOffered && { offers: withThose(offers, false) }),
      quarantined: quarantined.filter((each) => !chosen.includes(each)),
    },
    accepted: chosen.map(({ name }) => name),
  };
}
