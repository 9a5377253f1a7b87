import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Decoded, decode } from "@toolrig/json";
import type { Check } from "./check.ts";

const CORPUS = join(import.meta.dirname, "../../../shared/corpora/repair");
const ROBUSTNESS = "robustness-jsontestsuite-n-i.jsonl";

/** Share of exact answers, in percent, that each part has to reach. */
const GOALS = { independent: 97, core: 97, valid: 100 };

/** The libraries whose answers are recorded with the cases: of JavaScript and of Python. */
const PEERS = ["jsonrepair", "json_repair"];

interface Case {
  id: string;
  category: string;
  input: string;
  expected: unknown;
  unrepairable?: boolean;
  accept?: unknown[];
  idiosyncratic?: boolean;
  /** The libraries that give the expected value, as recorded with the case. */
  agree?: string[];
}

interface Outcome {
  file: string;
  case: Case;
  exact: boolean;
  /** A wrong value that nothing marks as doubtful, where another library gives the right one. */
  silent: boolean;
  got: string;
}

/** The public cases in the shared corpora. False when they are not beside the repository. */
export function proveCases(check: Check, print: (line: string) => void): boolean {
  if (!existsSync(CORPUS)) return false;
  const outcomes = caseFiles().flatMap((file) => readLines<Case>(file).map((each) => outcomeOf(file, each)));
  printTable(outcomes, print);
  const core = outcomes.filter((outcome) => outcome.case.idiosyncratic !== true);
  const independent = core.filter((outcome) => outcome.file.startsWith("bfcl"));
  const valid = core.filter((outcome) => outcome.file.startsWith("jts")).map(asParsed);
  for (const [name, part, goal] of [
    ["the independent part", independent, GOALS.independent],
    ["the core", core, GOALS.core],
    ["valid documents as JSON.parse gives them", valid, GOALS.valid],
  ] as const) {
    const share = percent(part);
    check(`${name}, exact`, share >= goal, `${share.toFixed(1)}% of ${part.length} (goal ${goal}%)`);
  }
  for (const peer of PEERS) {
    const exact = independent.filter((outcome) => outcome.case.agree?.includes(peer)).length;
    print(`     the independent part, exact in ${peer}: ${exact} of ${independent.length}`);
  }
  const silent = core.filter((outcome) => outcome.silent).length;
  check("no silent wrong answer that a peer gets right", silent === 0, `${silent} of ${core.length}`);
  proveRobustness(check);
  return true;
}

/** A valid document is exact when it is untouched and what `JSON.parse` gives. */
function asParsed(outcome: Outcome): Outcome {
  const decoded = decode(outcome.case.input);
  const same = decoded.ok && isDeepStrictEqual(decoded.value, JSON.parse(outcome.case.input));
  return { ...outcome, exact: same && decoded.mode === "strict" };
}

function caseFiles(): string[] {
  return readdirSync(CORPUS).filter((file) => file.endsWith(".dev.jsonl"));
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(join(CORPUS, file), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

function outcomeOf(file: string, each: Case): Outcome {
  const decoded = decode(each.input);
  const wanted = each.unrepairable ? (each.accept ?? []) : [each.expected, ...(each.accept ?? [])];
  const exact = decoded.ok
    ? wanted.some((value) => canonical(value) === canonical(decoded.value))
    : each.unrepairable === true;
  const peers = each.agree ?? [];
  const silent = !exact && decoded.ok && decoded.mode !== "partial" && peers.length > 0;
  return { file, case: each, exact, silent, got: shown(decoded) };
}

/** JSON text that is the same for equal values, whatever the order of their keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function shown(decoded: Decoded): string {
  return decoded.ok
    ? `${decoded.mode} ${JSON.stringify(decoded.value)}`
    : `failure: ${decoded.failure.message}`;
}

function percent(outcomes: Outcome[]): number {
  return outcomes.length === 0 ? 0 : (100 * outcomes.filter((each) => each.exact).length) / outcomes.length;
}

/** A row for each file and category, then every miss. */
function printTable(outcomes: Outcome[], print: (line: string) => void): void {
  const rows = Map.groupBy(
    outcomes,
    (each) => `${each.file.replace(".dev.jsonl", "").padEnd(12)} ${each.case.category}`,
  );
  print("file         category                  exact  of core | exact  of idiosyncratic");
  for (const [name, row] of [...rows].sort(([a], [b]) => a.localeCompare(b))) {
    const [own = [], core = []] = [true, false].map((own) =>
      row.filter((each) => (each.case.idiosyncratic === true) === own),
    );
    const counts = [core, own].map((part) => `${count(part)}  ${String(part.length).padStart(5)}`);
    print(`${name.padEnd(38)} ${counts.join("   | ")}`);
  }
  for (const miss of outcomes.filter((each) => !each.exact)) {
    const mark = miss.case.idiosyncratic === true ? "idiosyncratic" : miss.silent ? "SILENT" : "MISS";
    print(`${mark} ${miss.case.id} ${JSON.stringify(miss.case.input)}`);
    print(`  expected ${miss.case.unrepairable ? "a failure" : JSON.stringify(miss.case.expected)}`);
    print(`  got      ${miss.got}`);
  }
}

function count(outcomes: Outcome[]): string {
  return String(outcomes.filter((each) => each.exact).length).padStart(5);
}

interface RobustnessCase {
  input?: string;
  input_repeat?: { unit: string; count: number };
}

function proveRobustness(check: Check): void {
  const texts = readLines<RobustnessCase>(ROBUSTNESS).map((each) =>
    each.input_repeat === undefined
      ? (each.input ?? "")
      : each.input_repeat.unit.repeat(each.input_repeat.count),
  );
  const ended = texts.filter((text) =>
    [true, false].every((complete) => "ok" in decode(text, { complete })),
  ).length;
  check("invalid documents that end in an answer", ended === texts.length, `${ended} of ${texts.length}`);
}

export function proveLimits(check: Check): void {
  const deep = decode("[".repeat(200_000));
  check("200,000 open brackets end in an answer", "ok" in deep, shown(deep).slice(0, 60));
  const allowed = decode("[".repeat(200_000), { limits: { maxDepth: 200_000 } });
  check("and in a value where the limit allows it", allowed.ok, allowed.ok ? allowed.mode : "failure");
}
