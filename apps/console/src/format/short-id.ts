/** An id as a rig makes it: of what, which process, and the how many-th there. */
const MADE = /^[a-z]+_([0-9a-f]{6})[0-9a-f]{14}\.0*([0-9a-z]+)$/;

/**
 * As much of an id as tells it from others, "86dcfd.5", the same as the command line shows and takes; of an id that somebody else
 * made, its last eight characters.
 */
export function shortId(id: string): string {
  const [, begin, number] = MADE.exec(id) ?? [];
  return begin === undefined ? id.slice(-8) : `${begin}.${number}`;
}
