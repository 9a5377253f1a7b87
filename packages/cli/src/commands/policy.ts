import { resolve } from "node:path";
import { checkPolicy, type Policy, ToolrigError, type ToolSource } from "@toolrig/core";
import {
  defined,
  type PolicyCase,
  type PolicyExplanation,
  type PolicyVerdict,
  policyVerdict,
} from "@toolrig/core/kit";
import { CONFIG_OPTION, loadSettings } from "../config/load-settings.ts";
import { partsOf, withoutStore } from "../config/open-rig.ts";
import { chooseAction, needed } from "../shell/choose-action.ts";
import { command } from "../shell/command.ts";
import { EXIT_CODE, EXIT_FAILED, exitCodeOf } from "../shell/exit-code.ts";
import { counted } from "../terminal/counted.ts";
import { readJsonFile } from "../terminal/input.ts";
import { noteFailure } from "../terminal/note-failure.ts";
import { note, printJson } from "../terminal/output.ts";
import { printTable, type TableRow } from "../terminal/table.ts";
import { type ExpectedVerdict, policyCases } from "./policy/cases.ts";

type Judge = (call: PolicyCase) => Promise<PolicyVerdict>;

interface Action {
  judge: Judge;
  /** Whether what a run has read may decide about a tool, too. */
  isWatched: (tool: string) => boolean;
  /** The tool, or the file of expectations. */
  first: string;
  args: string | undefined;
  as: string | undefined;
  json: boolean;
}

const ACTIONS = { explain, test };
const EXPLAIN_HEAD = ["VERDICT", "BY", "REASON"];
const FLOW =
  "Information flow is not asked here: in a run that has read untrusted or private text it may still stop this call.";
const TEST_HEAD = ["", "ROW", "CASE", "EXPECTED", "VERDICT", "BY"];

export const policy = command({
  name: "policy",
  positionals: ["explain|test", "[NAME|FILE]", "[ARGUMENTS]"],
  options: {
    ...CONFIG_OPTION,
    policy: { type: "string", value: "FILE", describe: "another policy, as JSON (default: the config's)" },
    as: { type: "string", value: "NAME", describe: "explain: on whose behalf the call would be made" },
  },
  details: [
    "Nothing is run. explain prints the verdict, the rule or profile that decided, and the reason. Guards that depend on",
    "what a run has read, such as information flow, are not asked.",
    "test reads a JSON list of { tool, args, principal, source, runLabels, at, expect, rule }, where expect is allow, deny,",
    "ask or refused (the call is wrong or not allowed at all) and rule, if given, is what must have decided.",
    `Exit codes: 0; 1 when a row does not hold; of explain, as of a call that fails before the policy: ${EXIT_CODE.not_found}, ${EXIT_CODE.validation}, ${EXIT_CODE.denied}.`,
  ].join("\n"),
  examples: [`toolrig policy explain pay '{"amount": 20}' --as ada`, "toolrig policy test policy.cases.json"],

  async run({ values, positionals: [name, given, args] }) {
    const act = chooseAction("policy", name, ACTIONS);
    const first = needed(
      given,
      `policy ${name}`,
      act === test ? "FILE, a table of expectations" : "NAME, of a tool",
    );
    const settings = withoutStore(await loadSettings(values.config));
    const chosen = await policyFrom(values.policy, settings.rig.policy);
    const { tools } = partsOf(settings).executorOptions;
    const judge: Judge = (call) => policyVerdict({ tools, policy: chosen, allow: settings.rig.allow }, call);
    const isWatched = (tool: string) => chosen.profile !== "open" && hasEffect(tools, tool);
    return act({ judge, isWatched, first, args, as: values.as, json: values.json === true });
  },
});

async function policyFrom(file: string | undefined, configured: Policy | undefined): Promise<Policy> {
  if (file !== undefined) return checkPolicy(await readJsonFile(resolve(file), "--policy"));
  if (configured !== undefined) return configured;
  throw new ToolrigError(
    "OPTION_INVALID",
    "There is no policy: set policy in the config, as an object or the path of a JSON file, or give --policy FILE.",
  );
}

/** Whether a tool changes or sends something. */
function hasEffect(tools: ToolSource, name: string): boolean {
  const tool = tools.get(name);
  return tool !== undefined && !["none", "read"].includes(tool.safety.sideEffects);
}

async function explain({ judge, isWatched, first, args, as, json }: Action): Promise<number> {
  const verdict = await judge({
    tool: first,
    ...defined({ args, principal: as }),
  });
  if (json) printJson(verdict);
  if (verdict.verdict === "refused") {
    noteFailure(verdict.failure);
    return exitCodeOf(verdict);
  }
  if (!json) printTable(EXPLAIN_HEAD, [verdict], reasonCells);
  if (verdict.verdict === "allow" && isWatched(first)) note(FLOW, "dim");
  return 0;
}

/** People need not be told a profile's name twice; programs get every field. */
function reasonCells({ verdict, by, reason }: PolicyExplanation): TableRow {
  return [verdict, by, { whole: reason, short: reason === by ? "" : reason }];
}

async function test({ judge, first, json }: Action): Promise<number> {
  const file = resolve(first);
  const cases = policyCases(await readJsonFile(file, "FILE"), file);
  const rows = await Promise.all(cases.map((each) => judged(each, judge)));
  if (json) printJson(rows);
  else printTable(TEST_HEAD, rows, cells, { toneOf: ({ holds }) => (holds ? "plain" : "bad") });
  const misses = rows.filter(({ holds }) => !holds).length;
  note(
    misses === 0
      ? `${counted(rows.length, "row")} ${rows.length === 1 ? "holds" : "hold"}.`
      : `${misses} of ${rows.length} rows do not hold.`,
    misses === 0 ? "dim" : "bad",
  );
  return misses === 0 ? 0 : EXIT_FAILED;
}

interface Judged extends ExpectedVerdict {
  verdict: PolicyVerdict["verdict"];
  by: string;
  holds: boolean;
}

async function judged(each: ExpectedVerdict, judge: Judge): Promise<Judged> {
  const came = await judge(each.call);
  const by = came.verdict === "refused" ? came.failure.code : came.by;
  const holds = came.verdict === each.expect && (each.rule === undefined || each.rule === by);
  return { ...each, verdict: came.verdict, by, holds };
}

function cells({ holds, row, name, expect, rule, verdict, by }: Judged): TableRow {
  const expected = rule === undefined ? expect : `${expect} by ${rule}`;
  return [holds ? "ok" : "miss", String(row), name, expected, verdict, by];
}
