/** What a cell of a table holds where people and programs are told it in different ways. */
export interface Cell {
  readonly whole: string;
  readonly short: string;
}

const ID = /^[a-z]+_([0-9a-f]{6})[0-9a-f]{14}\.0*([0-9a-z]+)$/;

/** An id. People see as much of it as tells it from others, "86dcfd.5", which every command takes in its place. */
export function idCell(id: string): Cell {
  const [, begin, number] = ID.exec(id) ?? [];
  return { whole: id, short: begin === undefined ? id : `${begin}.${number}` };
}

/** A moment. People see it in their own time, without what it has in common with now. */
export function timeCell(at: number): Cell {
  const whole = new Date(at).toISOString();
  const local = localTime(at);
  const now = localTime(Date.now());
  if (local.slice(0, 10) === now.slice(0, 10)) return { whole, short: local.slice(11) };
  return { whole, short: local.slice(0, 4) === now.slice(0, 4) ? local.slice(5, 16) : local.slice(0, 16) };
}

/** "2026-01-31 12:00:59" where this process is. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace("T", " ");
}
