import { messageOf } from "@toolrig/core/kit";
import { type AdministrativeChange, openStore } from "@toolrig/store";
import { isStore } from "../rig/assemble.ts";
import { userName } from "../shell/user-name.ts";
import { note } from "../terminal/output.ts";
import { loadSettings } from "./open-rig.ts";

/**
 * Puts what the user of this machine changed into the audit chain of the configured store. The change has been made: where it cannot be
 * recorded, that is told, and nothing is taken back.
 */
export async function recordChange(
  configFile: string | undefined,
  change: Omit<AdministrativeChange, "by">,
): Promise<void> {
  try {
    const { store: place } = (await loadSettings(configFile, { needed: false })).rig;
    if (place === undefined) return;
    const store = typeof place === "string" ? openStore(place) : place;
    if (!isStore(store)) return;
    try {
      store.records.storeChange({ ...change, by: { id: userName(undefined) } });
    } finally {
      store.close();
    }
  } catch (error) {
    note(`This is not in the audit chain: ${messageOf(error)}`, "warn");
  }
}
