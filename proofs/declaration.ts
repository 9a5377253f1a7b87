/** One `tool()` declaration is all there is: one field is changed at a time, and everything that follows from it must. */
import { startNats } from "../scripts/start-nats.ts";
import { DECIDED, type Question } from "./declaration/decided.ts";
import type { Field } from "./declaration/subject.ts";
import { COMMAND_LINE, fleetCard, RECORD, type Told, VENDORS } from "./declaration/told.ts";
import type { Proof } from "./proof.ts";

interface Row {
  field: Exclude<Field, "none">;
  /** Part of what is told everywhere with the change and nowhere without. `only`: where it is told at all. */
  told?: { text: string; only?: readonly string[] };
  /** What is decided, without and with the change. */
  decided?: Partial<Record<Question, readonly [before: string, after: string]>>;
}

const HINTED = ["MCP", "a loop's request", "toolrig tools", "the fleet"];

const ROWS: readonly Row[] = [
  {
    field: "name",
    told: { text: "reserve_room" },
    decided: { "a call by the old name": ["ok", "TOOL_NOT_FOUND"] },
  },
  {
    field: "version",
    told: { text: '"2.0.0"', only: ["a loop's request", "toolrig tools", "the fleet", "the record"] },
    decided: { "a call of ^1": ["ok", "TOOL_NOT_FOUND"] },
  },
  { field: "description", told: { text: "Reserve a room" } },
  {
    field: "input",
    told: { text: "nights" },
    decided: { "arguments without nights": ["ok", "validation nights"] },
  },
  {
    field: "output",
    told: { text: "booking", only: HINTED },
    decided: { "an answer that is text": ["ok", "TOOL_OUTPUT_INVALID"] },
  },
  {
    field: "sideEffects",
    told: { text: '"readOnlyHint":true', only: HINTED },
    decided: {
      "an intent that a crash left open": ["is not repeated", "runs again"],
      "arguments that were cut off": ["does not run", "runs"],
      "arguments that had to be guessed": ["does not run", "runs"],
      "a call found in prose": ["asked", "not asked"],
      "a strict policy": ["asked", "not asked"],
    },
  },
  {
    field: "idempotent",
    told: { text: '"idempotentHint":true', only: HINTED },
    decided: {
      "a transient failure": ["1 starts", "2 starts"],
      "an intent that a crash left open": ["is not repeated", "runs again"],
      "arguments that were cut off": ["does not run", "does not run"],
    },
  },
  { field: "requires", decided: { "an executor without network": ["ok", "TOOL_UNAVAILABLE"] } },
  { field: "pure", decided: { "the same call twice in a run": ["2 starts", "1 starts"] } },
  { field: "approval", decided: { "an ordinary call": ["not asked", "asked"] } },
  { field: "mode", decided: { "four calls at once": ["together", "in turn"] } },
  { field: "locks", decided: { "four calls at once": ["together", "in turn"] } },
  { field: "concurrency", decided: { "four calls at once": ["together", "in turn"] } },
  { field: "rate", decided: { "a second call in the hour": ["ok", "TOOL_RATE_LIMITED"] } },
  { field: "timeout", decided: { "a tool that takes 300 ms": ["ok", "TOOL_TIMEOUT"] } },
  { field: "labels", decided: { "what the run does afterwards": ["ok", "TOOL_APPROVAL_REJECTED"] } },
  { field: "label", told: { text: "Room booking", only: HINTED } },
  { field: "examples", told: { text: "the blue one" } },
  { field: "preference", decided: { "what a loop offers": ["1 tools", "0 tools"] } },
];

/** Every way out of the process for one row; in its quick version for the first rows only. */
function waysOut(quick: boolean, fleet: Told): (index: number) => Readonly<Record<string, Told>> {
  const inside = { ...VENDORS, "the record": RECORD };
  const all = { ...inside, "toolrig tools": once(COMMAND_LINE), "the fleet": once(fleet) };
  return (index) => (quick && index > 2 ? inside : all);
}

/** What is told without a change is the same for every row. */
function once(tell: Told): Told {
  let before: string | undefined;
  return async (field) => {
    if (field !== "none") return tell(field);
    before ??= await tell(field);
    return before;
  };
}

/** What is not as it was declared. */
async function missesOf({ field, told, decided = {} }: Row, ways: Readonly<Record<string, Told>>) {
  const misses: string[] = [];
  let checks = 0;
  for (const [where, tell] of told === undefined ? [] : Object.entries(ways)) {
    // A record names the tool and the hash of all that was told.
    const isRecord = where === "the record";
    if (told?.only !== undefined && !told.only.includes(where) && !isRecord) continue;
    checks += 1;
    const [before, after] = [await tell("none"), await tell(field)].map((text) => text.replaceAll(/\s/g, ""));
    const text = told!.text.replaceAll(/\s/g, "");
    if (isRecord ? before === after : before!.includes(text) || !after!.includes(text))
      misses.push(`${where} is not told`);
  }
  for (const [question, [before, after]] of Object.entries(decided)) {
    checks += 1;
    const decide = DECIDED[question as Question];
    const got = [await decide("none"), await decide(field)];
    if (got[0] !== before || got[1] !== after)
      misses.push(`${question}: ${got.join(" -> ")}, expected ${before} -> ${after}`);
  }
  return { misses, checks };
}

export const proof: Proof = {
  name: "declaration",
  claim:
    "One declaration drives everything: what vendors, command line and fleet are told, validation and every rule of safety",
  async run(mode, print) {
    const server = await startNats();
    const ways = waysOut(mode === "quick", fleetCard(server.url));
    let [passed, failed] = [0, 0];
    try {
      for (const [index, row] of ROWS.entries()) {
        const { misses, checks } = await missesOf(row, ways(index));
        print(`${misses.length === 0 ? "ok  " : "MISS"} ${row.field.padEnd(12)} ${checks} things follow`);
        for (const miss of misses) print(`       ${miss}`);
        passed += checks - misses.length;
        failed += misses.length;
      }
    } finally {
      await server.close();
    }
    return { passed, failed };
  },
};
