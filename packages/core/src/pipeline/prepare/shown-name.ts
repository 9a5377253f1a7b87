const MAX_NAME = 128;

/** A tool's name as a model wrote it, which may be of any length. */
export function shownName(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`;
}
