import type { CallLine, CallQuery } from "../wire.ts";

/** Whether a line is one that is asked for. */
export function callFilter({ tool, state, blame, run, q }: CallQuery): (line: CallLine) => boolean {
  const tools = anyOf(tool);
  const states = anyOf(state);
  const blames = anyOf(blame);
  const words = q?.toLowerCase();
  return (line) => {
    if (tools !== undefined && !tools.has(line.name)) return false;
    if (states !== undefined && !states.has(line.state)) return false;
    if (blames !== undefined && !(line.failure !== undefined && blames.has(line.failure.blame))) return false;
    if (run !== undefined && line.runId !== run) return false;
    if (words === undefined) return true;
    const said = `${line.name}\n${line.gist}\n${line.note ?? ""}\n${line.failure?.message ?? ""}`;
    return said.toLowerCase().includes(words);
  };
}

/** What a field with commas means. */
export function anyOf(text: string | undefined): ReadonlySet<string> | undefined {
  return text === undefined || text === "" ? undefined : new Set(text.split(","));
}
