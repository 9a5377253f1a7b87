import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf } from "@toolrig/core/kit";
import { openStore, type Store } from "@toolrig/store";
import { loadConfig } from "../config/load-config.ts";
import { damageText } from "../config/mcp-settings.ts";
import { CONFIG_OPTION, type Loaded, rigOf, withoutStore } from "../config/open-rig.ts";
import { findOwnConfig } from "../config/own-config.ts";
import { command } from "../shell/command.ts";
import { EXIT_FAILED } from "../shell/exit-code.ts";
import { paint, printJson, printStyled, roomOf, type Tone, visible } from "../terminal/output.ts";
import { hang } from "../terminal/wrap.ts";

type Status = "ok" | "warn" | "fail";

interface Finding {
  status: Status;
  check: string;
  message: string;
}

const TONE: Record<Status, Tone> = { ok: "good", warn: "warn", fail: "bad" };

export const doctor = command({
  name: "doctor",
  summary: "Check Node, the config, the tools and the store",
  positionals: [],
  options: CONFIG_OPTION,
  details: "Exit codes: 0 when nothing failed (warnings are allowed), 1 otherwise.",

  async run({ values }) {
    const findings = [node(), ...(await configured(values.config))];
    if (values.json === true) printJson(findings);
    else printStyled(findings.map(line));
    return findings.some((finding) => finding.status === "fail") ? EXIT_FAILED : 0;
  },
});

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) {
    return { status: "ok", check: "node", message: `${process.version}, reads TypeScript by itself` };
  }
  return { status: "fail", check: "node", message: `${process.version}; Toolrig needs 22.18 or newer` };
}

async function configured(given: string | undefined): Promise<Finding[]> {
  try {
    const file = given === undefined ? findOwnConfig(process.cwd()) : resolve(given);
    if (file === undefined) {
      const message = "none here or above; toolrig.config.ts is where tools are listed";
      return [{ status: "warn", check: "config", message }];
    }
    const settings = await loadConfig(file);
    const { tools } = rigOf(withoutStore(settings));
    const list = tools.tools();
    const found: Finding = { status: "ok", check: "config", message: file };
    const count: Finding =
      list.length === 0
        ? { status: "warn", check: "tools", message: "the config lists no tools" }
        : { status: "ok", check: "tools", message: `${list.length} registered` };
    const unavailable = list.flatMap((tool): Finding[] => {
      const available = tool.available();
      return available === true
        ? []
        : [{ status: "warn", check: tool.name, message: `unavailable: ${available}` }];
    });
    return [found, count, ...unavailable, ...(await stored(settings))];
  } catch (error) {
    return [{ status: "fail", check: "config", message: messageOf(error) }];
  }
}

/** Looks only: a store is made by the first call. */
async function stored(settings: Loaded): Promise<Finding[]> {
  const { store: place } = settings.rig;
  if (typeof place !== "string") return [];
  try {
    if (!existsSync(place)) {
      checkPlace(place);
      return [{ status: "ok", check: "store", message: `${place}, made by the first call` }];
    }
    if (statSync(place).size === 0)
      return [
        { status: "ok", check: "store", message: `${place}, empty; the first call makes a store of it` },
      ];
    return await looked(place, settings);
  } catch (error) {
    return [{ status: "fail", check: "store", message: messageOf(error) }];
  }
}

/** Reads all of a store. */
async function looked(place: string, settings: Loaded): Promise<Finding[]> {
  const store = openStore(place, { readOnly: true });
  try {
    const [damage, ...more] = store.check();
    if (damage === undefined)
      return [
        { status: "ok", check: "store", message: `${place}, ${store.records.head().seq} records` },
        ...damagedIn(store),
        ...(await quarantinedIn(store, settings)),
      ];
    const rest = more.length === 0 ? "" : `, and ${more.length} more`;
    const advice = "Restore a backup, or save what is readable with `sqlite3 FILE .recover`.";
    return [{ status: "fail", check: "store", message: `${place} is damaged (${damage}${rest}). ${advice}` }];
  } finally {
    store.close();
  }
}

function damagedIn({ catalog }: Store): Finding[] {
  return catalog
    .list("connection")
    .filter(({ damage }) => damage !== undefined)
    .map((entry) => ({ status: "fail", check: entry.name, message: damageText(entry) }));
}

/** Made tools of which nothing runs. */
async function quarantinedIn({ catalog }: Store, settings: Loaded): Promise<Finding[]> {
  const { dynamicTools: making = false } = settings.rig;
  if (making === false) return [];
  const options = { catalog, ...(making === true ? {} : making) };
  const { dynamic } = rigOf(withoutStore(settings), { dynamicTools: options });
  const all = (await dynamic?.list()) ?? [];
  dynamic?.close();
  return all
    .filter(({ status }) => status === "quarantined")
    .map(({ name, reason }) => ({
      status: "fail",
      check: name,
      message: `quarantined: ${reason}. To be rid of it: toolrig tool remove ${name}`,
    }));
}

/** Throws when the first call could not make the store: the nearest folder there is must be one, and take new files. */
function checkPlace(place: string): void {
  let folder = dirname(place);
  while (!existsSync(folder)) folder = dirname(folder);
  if (!statSync(folder).isDirectory()) throw new Error(`${place} cannot be made: ${folder} is not a folder.`);
  accessSync(folder, constants.W_OK | constants.X_OK);
}

function line({ status, check, message }: Finding): string {
  const told = hang(6, visible(`${check}: ${message}`), roomOf("stdout"));
  return `${paint(status.padEnd(4), TONE[status])}  ${told}`;
}
