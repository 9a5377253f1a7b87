import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Extracted, type ExtractOptions, extract, extractStream } from "@toolrig/extract";
import { decode } from "@toolrig/json";
import { growthOfFamilies } from "./extract/growth.ts";
import { isHeard, type Spoken, spokenTexts } from "./extract/speakers.ts";
import type { Proof, ProofMode, Verdict } from "./proof.ts";

const CORPUS = join(import.meta.dirname, "../../shared/corpora/extract");

/** Shares that must be reached, on cases that are not tied to one library. */
const GOALS = { auto: 92, known: 95, negatives: 98 };

/** Shares of quoted calls that may be taken, and of real ones that may be missed, in ten languages. */
const SPEAKERS = { taken: 0.02, missed: 0.05 };

/** Time for twice the text may grow by this much. */
const DOUBLING = 2.3;

interface Case {
  id: string;
  family: string;
  group: string;
  category: string;
  text: string;
  tools: { name: string; parameters?: unknown }[] | null;
  expected: { calls: { name: string; arguments: unknown }[] };
  chunkings?: string[][];
  idiosyncratic?: boolean;
  policy?: boolean;
  family_hint_required?: boolean;
}

interface Outcome {
  case: Case;
  calls: { name: string; arguments: unknown }[];
  right: boolean;
}

export const proof: Proof = {
  name: "extract",
  claim:
    "calls that models wrote as text are found in more than 60 formats, and none that was only shown, quoted or injected",
  async run(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
    const checks = speakers(print);
    const corpora = existsSync(CORPUS);
    if (corpora) {
      const cases = readCases();
      checks.push(...scores(cases, print), chunkings(cases, mode, print));
    }
    if (mode === "full") checks.push(growth(print));
    for (const check of checks) print(`${check.passed ? "ok  " : "FAIL"} ${check.line}`);
    return {
      passed: checks.filter((check) => check.passed).length,
      failed: checks.filter((check) => !check.passed).length,
      ...(corpora ? {} : { skipped: "no corpora in ../shared/corpora beside the repository" }),
    };
  },
};

interface Check {
  passed: boolean;
  line: string;
}

/** Texts in ten languages that quote calls or make them, in the half that rules were written against and the other. */
function speakers(print: (line: string) => void): Check[] {
  const texts = spokenTexts();
  const wrong = (own: Spoken[]) => own.filter((one) => !isHeard(one)).length;
  const cell = (own: Spoken[]) => `${wrong(own)}/${own.length}`.padStart(16);
  const kinds = [false, true].flatMap((setAside) => [
    texts.filter((one) => one.setAside === setAside && one.calls === 0),
    texts.filter((one) => one.setAside === setAside && one.calls > 0),
  ]);
  print("quoted calls taken and real ones missed, in the shown half and in the one set aside");
  print(
    `${"language".padEnd(8)}${["taken", "missed", "taken aside", "missed aside"].map((title) => title.padStart(16)).join("")}`,
  );
  for (const language of new Set(texts.map((one) => one.language))) {
    print(
      language.padEnd(8) + kinds.map((own) => cell(own.filter((one) => one.language === language))).join(""),
    );
  }
  for (const one of texts)
    if (!isHeard(one)) print(`miss ${one.calls === 0 ? "taken" : "missed"} ${JSON.stringify(one.text)}`);
  const quoted = texts.filter((one) => one.calls === 0);
  const real = texts.filter((one) => one.calls > 0);
  return [
    {
      passed: wrong(quoted) <= quoted.length * SPEAKERS.taken,
      line: `${wrong(quoted)} of ${quoted.length} quotations in ten languages taken as calls`,
    },
    {
      passed: wrong(real) <= real.length * SPEAKERS.missed,
      line: `${wrong(real)} of ${real.length} real ones missed`,
    },
  ];
}

function readCases(): Case[] {
  const files = readdirSync(CORPUS).filter((file) => /\.(?:dev|heldout)\.jsonl$/.test(file));
  return files.flatMap((file) =>
    readFileSync(join(CORPUS, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => ({ ...JSON.parse(line), group: file.slice(0, file.indexOf(".")) })),
  );
}

function scores(cases: Case[], print: (line: string) => void): Check[] {
  const scored = cases.filter((one) => one.idiosyncratic !== true);
  const auto = scored.filter((one) => one.family_hint_required !== true).map((one) => judge(one, false));
  const known = scored.map((one) => judge(one, true));
  printTable("group", (outcome) => outcome.case.group, auto, known, print);
  printTable("family", (outcome) => outcome.case.family, auto, known, print);
  for (const outcome of auto) if (!outcome.right) print(describeMiss("auto", outcome));
  for (const outcome of known) if (!outcome.right) print(describeMiss("known", outcome));
  const strict = auto.filter((outcome) => outcome.case.policy !== true);
  const negatives = strict.filter((outcome) => outcome.case.expected.calls.length === 0);
  const security = [...auto, ...known].filter((outcome) => outcome.case.category.startsWith("security"));
  const fabricated = security.flatMap((outcome) =>
    outcome.calls.filter((call) => !isExpected(call, outcome.case)),
  );
  return [
    atLeast("calls exact, family found from the text", auto, GOALS.auto),
    atLeast("calls exact, family known", known, GOALS.known),
    atLeast("calls exact, cases on which runtimes agree", strict, GOALS.known),
    atLeast(
      "nothing found where there is nothing, cases on which runtimes agree",
      negatives,
      GOALS.negatives,
    ),
    {
      passed: fabricated.length === 0,
      line: `${fabricated.length} fabricated calls on ${security.length} runs of security cases`,
    },
  ];
}

function judge(one: Case, known: boolean): Outcome {
  const options = optionsOf(one, known);
  const schemas = new Map(options.tools.map((tool) => [tool.name, tool.inputSchema]));
  const calls = extract(one.text, options).calls.map((call) => {
    const decoded = decode(call.arguments, { schema: schemas.get(call.name) });
    return { name: call.name, arguments: decoded.ok ? decoded.value : decoded.failure.message };
  });
  return {
    case: one,
    calls,
    right: isDeepStrictEqual(
      calls,
      one.expected.calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    ),
  };
}

/** Where the source gave no tools, the expected ones are offered, their parameters unknown. */
function optionsOf(one: Case, known: boolean): ExtractOptions {
  const tools =
    one.tools === null
      ? [...new Set(one.expected.calls.map((call) => call.name))].map((name) => ({ name }))
      : one.tools.map((tool) => ({ name: tool.name, inputSchema: tool.parameters }));
  return known ? { tools, family: one.family } : { tools };
}

function isExpected(call: { name: string; arguments: unknown }, one: Case): boolean {
  return one.expected.calls.some(
    (expected) => expected.name === call.name && isDeepStrictEqual(expected.arguments, call.arguments),
  );
}

function atLeast(what: string, outcomes: Outcome[], goal: number): Check {
  const right = outcomes.filter((outcome) => outcome.right).length;
  const share = (100 * right) / Math.max(1, outcomes.length);
  return {
    passed: share >= goal,
    line: `${what}: ${right} of ${outcomes.length}, ${share.toFixed(1)}%, goal ${goal}%`,
  };
}

function printTable(
  title: string,
  key: (outcome: Outcome) => string,
  auto: Outcome[],
  known: Outcome[],
  print: (line: string) => void,
): void {
  print(`${title.padEnd(24)}${"auto".padStart(12)}${"known".padStart(12)}`);
  for (const name of [...new Set(known.map(key))].sort()) {
    const cell = (outcomes: Outcome[]) => {
      const own = outcomes.filter((outcome) => key(outcome) === name);
      return `${own.filter((outcome) => outcome.right).length}/${own.length}`.padStart(12);
    };
    print(`${name.padEnd(24)}${cell(auto)}${cell(known)}`);
  }
}

function describeMiss(run: string, outcome: Outcome): string {
  const note = outcome.case.policy === true ? ", runtimes differ" : "";
  const expected = JSON.stringify(outcome.case.expected.calls).slice(0, 160);
  return `miss ${run} ${outcome.case.id} (${outcome.case.category}${note}): expected ${expected}, found ${JSON.stringify(outcome.calls).slice(0, 160)}`;
}

function chunkings(cases: Case[], mode: ProofMode, print: (line: string) => void): Check {
  let runs = 0;
  let wrong = 0;
  for (const one of cases) {
    const own = (one.chunkings ?? []).filter((chunks) => chunks.join("") === one.text);
    const sizes = mode === "full" ? [1, 2, 3, 7, 16] : [1];
    for (const chunks of [...own, ...sizes.map((size) => cut(one.text, size))]) {
      runs++;
      const options = optionsOf(one, false);
      if (isDeepStrictEqual(streamed(chunks, options), extract(one.text, options))) continue;
      wrong++;
      print(`miss chunks ${one.id}: ${JSON.stringify(chunks).slice(0, 200)}`);
    }
  }
  return { passed: wrong === 0, line: `${runs - wrong} of ${runs} chunkings agree with the whole text` };
}

function streamed(chunks: string[], options: ExtractOptions): Extracted {
  const stream = extractStream(options);
  const result: Extracted = { calls: [], content: "" };
  for (const event of [...chunks.flatMap((chunk) => stream.push(chunk)), ...stream.end()]) {
    if (event.type === "call") result.calls.push(event.call);
    else if (event.type === "text") result.content += event.text;
  }
  return result;
}

function cut(text: string, size: number): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
}

/** The time of every family for longer and longer text, in its worst shape. */
function growth(print: (line: string) => void): Check {
  print(`${"growth".padEnd(24)}${"doubling".padStart(10)}${"ms".padStart(8)}  worst when repeated`);
  let worst = 0;
  for (const one of growthOfFamilies(DOUBLING)) {
    const miss = one.worst > DOUBLING ? "miss " : "";
    const { family, what, milliseconds } = one;
    print(
      `${miss}${family.padEnd(24)}${one.worst.toFixed(2).padStart(10)}${milliseconds.toFixed(0).padStart(8)}  ${JSON.stringify(what)}`,
    );
    worst = Math.max(worst, one.worst);
  }
  return {
    passed: worst <= DOUBLING,
    line: `hostile text: at most ${worst.toFixed(2)} times the time for twice the text, goal ${DOUBLING}`,
  };
}
