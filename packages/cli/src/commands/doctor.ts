import { resolve } from "node:path";
import { messageOf } from "@toolrig/core/kit";
import { loadConfig } from "../config/load-config.ts";
import { CONFIG_OPTION, type Loaded } from "../config/load-settings.ts";
import { rigOf, withoutStore } from "../config/open-rig.ts";
import { findOwnConfig } from "../config/own-config.ts";
import { command } from "../shell/command.ts";
import { EXIT_FAILED } from "../shell/exit-code.ts";
import { paint, printJson, printStyled, roomOf, type Tone, visible } from "../terminal/output.ts";
import { Spinner } from "../terminal/spinner.ts";
import { hang } from "../terminal/wrap.ts";
import { checkFleet } from "./doctor/check-fleet.ts";
import { checkLabels } from "./doctor/check-labels.ts";
import { checkMcp } from "./doctor/check-mcp.ts";
import { checkModel } from "./doctor/check-model.ts";
import { checkPolicy } from "./doctor/check-policy.ts";
import { checkStore } from "./doctor/check-store.ts";
import type { Finding, Status } from "./doctor/finding.ts";

const TONE: Record<Status, Tone> = { ok: "good", warn: "warn", fail: "bad" };

/** In this order. What a check throws is what it found. */
const CHECKS: Readonly<Record<string, (settings: Loaded) => Finding[] | Promise<Finding | Finding[]>>> = {
  tools: checkTools,
  labels: checkLabels,
  policy: checkPolicy,
  store: checkStore,
  model: checkModel,
  mcp: checkMcp,
  nats: checkFleet,
};
const FAR = ["mcp", "nats"];

export const doctor = command({
  name: "doctor",
  positionals: [],
  options: {
    ...CONFIG_OPTION,
    offline: { type: "boolean", describe: "connect to nothing: MCP servers and NATS are left out" },
  },
  details: [
    "Each line is ok, warn or fail, with what to do about it. MCP servers and the NATS server of the config are connected to; a",
    "model is only asked for its package and its key. All of the store is read, and nothing is changed.",
    "Exit codes: 0 when nothing failed (warnings are allowed), 1 otherwise. With --json, a list.",
  ].join("\n"),
  examples: ["toolrig doctor", "toolrig doctor --offline --json"],

  async run({ values }) {
    const findings = [node(), ...(await configured(values.config, values.offline === true))];
    if (values.json === true) printJson(findings);
    else printStyled(findings.map(line));
    return findings.some((finding) => finding.status === "fail") ? EXIT_FAILED : 0;
  },
});

/** An older one does not come here: the command that is installed looks first. */
function node(): Finding {
  return { status: "ok", check: "node", message: `${process.version}, reads TypeScript by itself` };
}

async function configured(given: string | undefined, offline: boolean): Promise<Finding[]> {
  let settings: Loaded;
  try {
    const file = given === undefined ? findOwnConfig(process.cwd()) : resolve(given);
    if (file === undefined) {
      const message = "none here or above; toolrig.config.ts is where tools are listed";
      return [
        { status: "warn", check: "config", message, fix: "Write one, with a sample tool: toolrig init" },
      ];
    }
    settings = { ...(await loadConfig(file)), file };
    rigOf(withoutStore(settings));
  } catch (error) {
    return [{ status: "fail", check: "config", message: messageOf(error) }];
  }
  const findings: Finding[] = [{ status: "ok", check: "config", message: settings.file ?? "" }];
  const spinner = new Spinner();
  for (const [name, check] of Object.entries(CHECKS)) {
    if (offline && FAR.includes(name)) continue;
    spinner.show(`${name} …`);
    try {
      findings.push(...[await check(settings)].flat());
    } catch (error) {
      findings.push({ status: "fail", check: name, message: messageOf(error) });
    }
  }
  spinner.hide();
  return findings;
}

function checkTools(settings: Loaded): Finding[] {
  const list = rigOf(withoutStore(settings)).tools.tools();
  const count: Finding =
    list.length === 0
      ? {
          status: "warn",
          check: "tools",
          message: "the config lists no tools",
          fix: "List them in tools: [...].",
        }
      : { status: "ok", check: "tools", message: `${list.length} registered` };
  const unavailable = list.flatMap((tool): Finding[] => {
    const available = tool.available();
    return available === true
      ? []
      : [{ status: "warn", check: tool.name, message: `unavailable: ${available}` }];
  });
  return [count, ...unavailable];
}

function line({ status, check, message, fix }: Finding): string {
  const told = hang(
    6,
    visible(`${check}: ${message}${fix === undefined ? "" : `\n→ ${fix}`}`),
    roomOf("stdout"),
  );
  return `${paint(status.padEnd(4), TONE[status])}  ${told}`;
}
