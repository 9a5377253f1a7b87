import type { AnyTool, Safety, ToolDefinition, ToolSource } from "@toolrig/core";
import { definitionIn } from "@toolrig/core/kit";
import { CONFIG_OPTION } from "../config/load-settings.ts";
import { withTools } from "../config/open-rig.ts";
import { chooseAction } from "../shell/choose-action.ts";
import { command } from "../shell/command.ts";
import { EXIT_FAILED } from "../shell/exit-code.ts";
import { note, printJson } from "../terminal/output.ts";
import { printTable, type TableRow } from "../terminal/table.ts";
import type { Finding } from "./tools/finding.ts";
import { lint } from "./tools/lint.ts";

interface Listed extends ToolDefinition {
  type: string;
  provider: string;
  safety: Safety;
  available: boolean;
  reason?: string;
}

const HEAD = ["NAME", "VERSION", "PROVIDER", "SAFETY", "AVAILABLE", ""];

export const tools = command({
  name: "tools",
  positionals: ["[lint]"],
  options: {
    ...CONFIG_OPTION,
    offline: { type: "boolean", describe: "connect no MCP servers: their tools are left out" },
  },
  details: [
    "Tools that the config's allowlist leaves out are not listed.",
    "Piped, each tool is a line of tab-separated fields: name, version, provider, safety, yes or no, reason.",
    "With --json, a list of definitions that `toolrig extract --tools` reads.",
    "lint looks at what a model is told: vague names and descriptions, parameters without descriptions, tools that are hard to",
    "tell apart, large definitions, undeclared safety, and what the schemas of OpenAI (strict), Anthropic and Gemini cannot say.",
    "Piped, a finding is a line: level, tool, rule, vendor, path, message. Exit codes: 0; 1 when there is a warning.",
  ].join("\n"),
  examples: ["toolrig tools", "toolrig tools --json > tools.json", "toolrig tools lint"],

  async run({ values, positionals: [action] }) {
    if (action !== undefined) return chooseAction("tools", action, { lint: printFindings })(values);
    const listed = await withTools(
      values.config,
      (source) => source.tools().map((tool) => describe(tool, source)),
      { offline: values.offline === true },
    );
    if (listed.length === 0) note("There are no tools.", "dim");
    if (values.json === true) printJson(listed);
    else printTable(HEAD, listed, cells, { toneOf: ({ available }) => (available ? "plain" : "warn") });
    return 0;
  },
});

const LINT_HEAD = ["", "TOOL", "RULE", "VENDOR", "AT", ""];

interface LintValues {
  readonly config?: string;
  readonly offline?: boolean;
  readonly json?: boolean;
}

async function printFindings({ config, offline = false, json = false }: LintValues): Promise<number> {
  const findings = await withTools(config, lint, { offline });
  if (json) printJson(findings);
  else
    printTable(LINT_HEAD, findings, findingCells, {
      toneOf: ({ level }) => (level === "warning" ? "warn" : "dim"),
      spare: ["RULE", "VENDOR"],
    });
  return findings.some(({ level }) => level === "warning") ? EXIT_FAILED : 0;
}

function findingCells({ level, tool = "", rule, vendor = "", path = "", message }: Finding): TableRow {
  return [level, tool, rule, vendor, path, message];
}

function describe(tool: AnyTool, source: ToolSource): Listed {
  const available = tool.available();
  return {
    ...definitionIn(source, tool),
    type: tool.type,
    provider: source.providerOf?.(tool) ?? "unknown",
    safety: tool.safety,
    available: available === true,
    ...(available !== true && { reason: available }),
  };
}

function cells({ name, version, provider, safety, available, reason }: Listed): TableRow {
  const declared = `${safety.sideEffects}${safety.idempotent ? ", idempotent" : ""}`;
  // What was built from which source is told by --json; here it would take the room of everything else.
  const shown = version?.replace(/(\+.{8}).+$/, "$1…") ?? "-";
  return [name, shown, provider, declared, available ? "yes" : "no", reason ?? ""];
}
