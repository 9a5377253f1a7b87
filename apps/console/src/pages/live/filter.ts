import type { CallLine, CallQuery } from "@toolrig/server/wire";

/** Which calls are shown, as the address has it; a field with commas means any of them. */
export type Filter = Pick<CallQuery, "tool" | "state" | "blame" | "run" | "q">;

const FIELDS = ["tool", "state", "blame", "run", "q"] as const;

export function readFilter(query: URLSearchParams): Filter {
  const filter: Filter = {};
  for (const field of FIELDS) {
    const value = query.get(field);
    if (value !== null && value !== "") filter[field] = value;
  }
  return filter;
}

export function isFiltered(filter: Filter): boolean {
  return FIELDS.some((field) => filter[field] !== undefined);
}

/** The same rule as the server's, for lines that come with the feed. */
export function matcher({ tool, state, blame, run, q }: Filter): (line: CallLine) => boolean {
  const tools = tool?.split(",");
  const states = state?.split(",");
  const blames = blame?.split(",");
  const runs = run?.split(",");
  const text = q?.toLowerCase();
  return (line) =>
    (tools === undefined || tools.includes(line.name)) &&
    (states === undefined || states.includes(line.state)) &&
    (blames === undefined || (line.failure !== undefined && blames.includes(line.failure.blame))) &&
    (runs === undefined || (line.runId !== undefined && runs.includes(line.runId))) &&
    (text === undefined || contains(line, text));
}

/** A field with one value put in or taken out. */
export function toggled(list: string | undefined, value: string): string {
  const values = list === undefined ? [] : list.split(",");
  return (values.includes(value) ? values.filter((each) => each !== value) : [...values, value]).join(",");
}

function contains(line: CallLine, text: string): boolean {
  return [line.name, line.gist, line.note, line.failure?.message].some((part) =>
    part?.toLowerCase().includes(text),
  );
}
