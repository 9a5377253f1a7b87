/** What holds for a plain call, and must hold however a call comes about. */
import { isDeepStrictEqual } from "node:util";
import { budgetGuard, type Guard, InformationFlow, type ToolResult } from "@toolrig/core";
import { definitionHash } from "@toolrig/core/kit";
import { type Asked, House, type Rules } from "./house.ts";
import { SECRETS, STRANGER, VERSION } from "./tools.ts";
import type { Way } from "./way.ts";

/** The miss, or the reason why there is nothing, or not everything, to look at. */
export interface Cell {
  misses?: readonly string[];
  reason?: string;
}

export interface Property {
  readonly name: string;
  look(way: Way): Promise<Cell>;
}

/** Notes what is not as it must be. */
class Misses extends Array<string> {
  same(what: string, got: unknown, want: unknown): void {
    if (!isDeepStrictEqual(got, want))
      this.push(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
  }

  failed(what: string, result: ToolResult | undefined, code: string): void {
    this.same(what, result?.failure?.code ?? (result === undefined ? "no result" : "ok"), code);
  }

  succeeded(what: string, result: ToolResult | undefined): void {
    this.failed(what, result, "ok");
  }
}

async function inHouse(
  way: Way,
  rules: () => Rules,
  look: (house: House, misses: Misses) => Promise<void>,
): Promise<Misses> {
  const misses = new Misses();
  const house = new House(rules, way.options, way.pure);
  try {
    await look(house, misses);
  } catch (error) {
    misses.push(`it threw: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await house.close();
  }
  return misses;
}

const alone = async (...about: Parameters<typeof inHouse>): Promise<Cell> => ({
  misses: await inHouse(...about),
});

const NOTHING = () => ({});
const note = (text: string): Asked => ({ name: "note", args: { text } });
const GUARDED = () => ({ guards: [notEve] });
const EVE = { id: "eve" };

const notEve: Guard = {
  name: "not-eve",
  before: ({ tool, principal: who }) =>
    who?.id === EVE.id && tool.name === "note" ? { verdict: "deny", reason: "not for her" } : undefined,
};

/** Guards, tools and records know who. A rule about who counts, also where the answer is known. */
const principal: Property = {
  name: "principal",
  async look(way) {
    const named = await inHouse(way, NOTHING, async (house, misses) => {
      const [result] = await way.make(house, [note("one")]);
      misses.succeeded("the call", result);
      const told = { tools: house.done, guards: house.judged, records: await house.records() };
      for (const [who, list] of Object.entries(told)) {
        const others = list.filter((each) => !isDeepStrictEqual(each.principal, house.principal));
        misses.same(`${who} told of nobody`, list.length === 0, false);
        misses.same(`${who} told of others`, others, []);
      }
      if (way.personal !== true) return;
      house.principal = EVE;
      const [hers] = await way.make(house, [note("one")], "again");
      misses.failed("what was granted to another", hers, "TOOL_APPROVAL_REJECTED");
    });
    const barred = await inHouse(way, GUARDED, async (house, misses) => {
      house.principal = EVE;
      misses.failed("one who may not", (await way.make(house, [note("one")]))[0], "TOOL_BLOCKED");
      misses.same("runs for one who may not", house.runsOf("note"), 0);
    });
    if (way.shared !== undefined) return { misses: [...named, ...barred], reason: way.shared };
    const another = await inHouse(way, GUARDED, async (house, misses) => {
      if (way.answers !== "from memory") house.dies = "after the outcome";
      await way.make(house, [note("one")]);
      if (way.answers !== "from memory") await house.reopen();
      house.dies = undefined;
      house.principal = EVE;
      const [hers] = await way.make(house, [note("one")], "again");
      misses.failed("the answer that another has", hers, "TOOL_BLOCKED");
      misses.same("runs", house.runsOf("note"), 1);
    });
    return { misses: [...named, ...barred, ...another] };
  },
};

/** What is untrusted and private is labelled so, and what comes after it in the run is asked about. */
const labels: Property = {
  name: "labels",
  async look(way) {
    const flowing = () => {
      const flow = new InformationFlow();
      return { flow, guards: [flow.guard] };
    };
    const ask = async (first: string, wanted: boolean) =>
      inHouse(way, flowing, async (house, misses) => {
        const asked = [
          { name: first, args: { text: "https://a.example" } },
          { name: "send", args: { to: STRANGER } },
        ];
        const [read] = await way.make(house, asked);
        const sent = (await house.records("send")).at(-1);
        const isAsked = sent?.verdicts.some(
          ({ guard, verdict }) => guard === "information-flow" && verdict === "ask",
        );
        misses.same(`${first}, then send: asked`, isAsked, wanted);
        if (!wanted) return;
        const kept = ({ labels: given }: Partial<ToolResult> = {}) => [
          given?.integrity,
          given?.confidentiality,
        ];
        misses.same("labels of the result", kept(read), ["untrusted", "private"]);
        // Of a tool that had it read, too.
        for (const name of way.name === "nested" ? [first, "relay"] : [first]) {
          const recorded = (await house.records(name))[0]?.result;
          misses.same(`labels in the record of ${name}`, kept(recorded), ["untrusted", "private"]);
        }
      });
    const read = [...(await ask("read_page", true)), ...(await ask("read_mail", true))];
    return { misses: [...read, ...(await ask("idle", false))] };
  },
};

/** Either the text shows it, or whoever heard it end says so. */
const CUT = [
  { text: '{"text":"pay bob 10', noticed: false },
  { text: '{"text":"pay bob 10"}', noticed: true },
];

/** Truncated arguments write nothing. */
const completeness: Property = {
  name: "completeness",
  async look(way) {
    if (way.answers === "from memory")
      return { reason: "only what reads is remembered, and what was cut off may be read with" };
    const found: string[] = [];
    for (const cut of CUT) {
      if (cut.noticed && way.unheard === true) continue;
      found.push(
        ...(await inHouse(way, NOTHING, async (house, misses) => {
          const whole = note("pay bob 1000");
          if (way.answers !== undefined) await way.make(house, [whole]);
          const before = house.runsOf("note");
          const [result] = await way.make(house, [{ ...whole, cut }], way.answers && "again");
          misses.failed(`cut off to ${cut.text}`, result, "TOOL_ARGUMENTS_INVALID_JSON");
          misses.same("runs of what was cut off", house.runsOf("note") - before, 0);
        })),
      );
    }
    return { misses: found };
  },
};

/** Two may run: the third is refused. An answer that is known costs nothing. */
const budget: Property = {
  name: "budget",
  async look(way) {
    const { calls = 1, counts = ["guard"] } = way;
    const limits = (most: number): Record<"guard" | "loop", () => Rules> => ({
      guard: () => ({ guards: [budgetGuard({ callsPerRun: most })] }),
      loop: () => ({ callBudget: most }),
    });
    const asked = ["one", "two", "three", "four"].map(note);
    const codes = (results: readonly ToolResult[]) => results.map(({ failure }) => failure?.code ?? "ok");
    const beyond = "TOOL_BUDGET_EXCEEDED";
    if (way.answers === "from the ledger")
      return alone(way, limits(2).guard, async (house, misses) => {
        // Two ran in the first process. In the next one they are known, so that it has two of its own.
        const results = await way.make(house, asked);
        misses.same("results", codes(results), ["ok", "ok", "ok", "ok"]);
        misses.same("replayed", results.filter(({ replayed }) => replayed).length, 2);
      });
    if (way.answers === "from memory")
      return alone(way, limits(3).guard, async (house, misses) => {
        // Each is made twice, and costs once. An answer from memory is given back what it cost, and so must be let in.
        misses.same("results", codes(await way.make(house, asked)), ["ok", "ok", beyond, beyond]);
        misses.same("runs", house.runsOf("note"), 3);
      });
    const found: string[] = [];
    for (const who of counts)
      found.push(
        ...(await inHouse(way, limits(3 * calls - 1)[who], async (house, misses) => {
          misses.same("results", codes(await way.make(house, asked.slice(0, 3))), ["ok", "ok", beyond]);
          misses.same("runs", house.runsOf("note"), 2);
        })),
      );
    return { misses: found };
  },
};

/** Secrets in arguments, answers and failures are in no record, and in no failure that a model reads. */
const redaction: Property = {
  name: "redaction",
  async look(way) {
    const args = { password: SECRETS.password, text: `use ${SECRETS.token}` };
    const found: string[] = [];
    const look = async (
      what: string,
      name: string,
      more: { args?: Asked["args"]; dies?: House["dies"] } = {},
    ) =>
      found.push(
        ...(await inHouse(way, NOTHING, async (house, misses) => {
          house.dies = more.dies;
          const [result] = await way.make(house, [{ name, args: more.args ?? args }]);
          house.dies = undefined;
          if (more.dies !== undefined) await house.reopen();
          const records = JSON.stringify(await house.records());
          misses.same(`${what}: it is on record`, records.includes("[redacted]"), true);
          misses.same(`${what}: secrets in records`, secretsIn(records), []);
          if (result?.isError !== true) return;
          const read = JSON.stringify(result);
          misses.same(`${what}: it is told`, read.includes("[redacted]"), true);
          misses.same(`${what}: secrets in what is told`, secretsIn(read), []);
        })),
      );
    await look("an answer", "log_in");
    await look("a failure", "break");
    await look("a failure that is returned", "give_up");
    await look("what does not fit", "note", { args: { ...args, n: args.text } });
    if (way.ledger === undefined && way.answers === undefined)
      await look("what was recovered", "log_in", { dies: "after the outcome" });
    return { misses: found };
  },
};

const secretsIn = (text: string) => Object.values(SECRETS).filter((each) => text.includes(each));

/** A tool that never answers is given up. */
const deadline: Property = {
  name: "deadline",
  look: (way) =>
    alone(way, NOTHING, async (house, misses) => {
      const [result] = await way.make(house, [{ name: "deaf", args: { text: "hello" }, silent: true }]);
      misses.failed("a tool that never answers", result, "TOOL_TIMEOUT");
      misses.same("starts of it", house.runsOf("deaf"), 1);
    }),
};

/** A side effect happens once: asked for again, it is answered with its outcome, or with that nobody knows it. */
const ledger: Property = {
  name: "ledger",
  async look(way) {
    if (way.answers === "from memory")
      return { reason: "only tools without side effects are remembered, of which none is intended" };
    if (way.ledger !== undefined) return { misses: await way.ledger() };
    const again = (dies: House["dies"], check: (misses: Misses, result: ToolResult | undefined) => void) =>
      inHouse(way, NOTHING, async (house, misses) => {
        house.dies = dies;
        await way.make(house, [note("one")]);
        house.dies = undefined;
        await house.reopen();
        const [second] = await way.make(house, [note("one")], "again");
        check(misses, second);
        misses.same(`effects, having died ${dies}`, house.runsOf("note"), 1);
        const records = await house.records("note");
        const recovered = records.filter((each) => each.recovered === true).length;
        misses.same(`recovered, having died ${dies}`, recovered, 1);
        // What is found out about an execution that was left open is a second record of it.
        misses.same(
          `records, having died ${dies}`,
          records.length - recovered,
          dies === "in the tool" ? 1 : 0,
        );
      });
    const known = await again("after the outcome", (misses, result) => {
      misses.succeeded("asked for again", result);
      misses.same("replayed", result?.replayed, true);
    });
    const open = await again("in the tool", (misses, result) =>
      misses.failed("asked for again after an open intent", result, "TOOL_OUTCOME_UNKNOWN"),
    );
    return { misses: [...known, ...open] };
  },
};

/** One record for each execution that ran, with what ran; an answer that is known is not a second effect. */
const record: Property = {
  name: "record",
  look: (way) =>
    alone(way, NOTHING, async (house, misses) => {
      const [result] = await way.make(house, [note("one")]);
      misses.succeeded("the call", result);
      const records = await house.records("note");
      const first = records[0];
      const tool = house.tools.find(({ name }) => name === "note");
      const isRemembered = way.answers === "from memory";
      misses.same("records", records.length, isRemembered ? 2 : 1);
      misses.same("from memory", records[1]?.result.cached, isRemembered || undefined);
      const { args, version, source, runId, stepName, parentId } = first ?? {};
      misses.same(
        "the record",
        { args, version, source, runId, stepName, parentId, definitionHash: first?.definitionHash },
        {
          args: { text: "one" },
          version: VERSION,
          source: way.source,
          runId: house.runId,
          stepName: undefined,
          parentId: undefined,
          definitionHash: tool && definitionHash(tool.definition),
          ...way.recorded?.(house),
        },
      );
      misses.same("attempts", first?.result.attempts, 1);
      await house.reopen();
      if (!isRemembered) await way.make(house, [note("one")], "again");
      const effects = (await house.records("note")).flatMap((each) => each.result.effects ?? []);
      misses.same("effects on record", effects.length, 1);
      misses.same("records in the end", (await house.records("note")).length, records.length);
      misses.same("effects", house.runsOf("note"), 1);
    }),
};

export const PROPERTIES: readonly Property[] = [
  principal,
  labels,
  completeness,
  budget,
  redaction,
  deadline,
  ledger,
  record,
];
