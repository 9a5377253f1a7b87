import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { openStore, type Store } from "@toolrig/store";
import type { Loaded } from "../../config/load-settings.ts";
import { damageText } from "../../config/mcp-settings.ts";
import { rigOf, withoutStore } from "../../config/open-rig.ts";
import { counted } from "../../terminal/counted.ts";
import { restoredText } from "../open.ts";
import type { Finding } from "./finding.ts";

/** So much damage is named; the rest is counted. */
const LISTED = 10;

/** Looks only: a store is made by the first call. */
export async function checkStore(settings: Loaded): Promise<Finding[]> {
  const { store: place } = settings.rig;
  if (place === undefined) {
    const message = "none: nothing is recorded, and no call survives a crash";
    return [
      { status: "warn", check: "store", message, fix: 'Set store: ".toolrig/toolrig.db" in the config.' },
    ];
  }
  if (typeof place !== "string") return [{ status: "ok", check: "store", message: "made by the config" }];
  if (place !== ":memory:" && existsSync(place) && statSync(place).isDirectory()) {
    const fix = "Set store in the config to a file, such as .toolrig/toolrig.db.";
    return [{ status: "fail", check: "store", message: `${place} is a folder`, fix }];
  }
  try {
    if (!existsSync(place) && !existsSync(`${place}-wal`)) {
      checkPlace(place);
      return [{ status: "ok", check: "store", message: `${place}, made by the first call` }];
    }
    return await looked(place, settings);
  } catch (error) {
    // An error of the store says itself what to do. Another place would be a new store, which knows nothing of what was done.
    if (ToolrigError.isInstance(error)) return [{ status: "fail", check: "store", message: error.message }];
    const fix = "Set store in the config to a file in a folder that you may write to.";
    return [{ status: "fail", check: "store", message: messageOf(error), fix }];
  }
}

/** Reads all of a store. */
async function looked(place: string, settings: Loaded): Promise<Finding[]> {
  const store = openStore(place, { readOnly: true });
  try {
    const damage = store.check();
    if (damage.length === 0)
      return [
        { status: "ok", check: "store", message: `${place}, ${counted(store.records.head().seq, "record")}` },
        ...onlyReadable(place),
        ...restoredIn(store),
        ...damagedIn(store),
        ...(await quarantinedIn(store, settings)),
      ];
    const more = damage.length - LISTED;
    const listed = [...damage.slice(0, LISTED), ...(more > 0 ? [`and ${more} more`] : [])].join(" ");
    const fix = "Restore a backup, or save what is readable with `sqlite3 FILE .recover`.";
    return [
      { status: "fail", check: "store", message: `${place} is damaged: ${listed}`, fix },
      ...(await namedIn(store, settings)),
    ];
  } finally {
    store.close();
  }
}

/** What can be mended by itself. A file of which nothing can be read names nothing. */
async function namedIn(store: Store, settings: Loaded): Promise<Finding[]> {
  try {
    return [...damagedIn(store), ...(await quarantinedIn(store, settings))];
  } catch {
    return [];
  }
}

function restoredIn({ restored }: Store): Finding[] {
  return restored === undefined ? [] : [{ status: "warn", check: "store", message: restoredText(restored) }];
}

/** A process that cannot write to its store refuses every side effect. */
function onlyReadable(place: string): Finding[] {
  try {
    accessSync(place, constants.W_OK);
    accessSync(dirname(place), constants.W_OK);
    return [];
  } catch {
    const message = `${place} can only be read: side effects are refused`;
    return [{ status: "warn", check: "store", message, fix: "Make the file and its folder writable." }];
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
      message: `quarantined: ${reason}`,
      fix: `To be rid of it: toolrig tool remove ${name}`,
    }));
}

/** Throws when the first call could not make the store: the nearest folder there is must be one, and take new files. */
function checkPlace(place: string): void {
  let folder = dirname(place);
  while (!existsSync(folder)) folder = dirname(folder);
  if (!statSync(folder).isDirectory()) throw new Error(`${place} cannot be made: ${folder} is not a folder.`);
  accessSync(folder, constants.W_OK | constants.X_OK);
}
