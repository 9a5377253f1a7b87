import { hash } from "node:crypto";
import { canonicalJson, messageOf } from "@toolrig/core/kit";
import { type AdministrativeChange, openStore } from "@toolrig/store";
import { isStore } from "../rig/assemble.ts";
import type { Rig } from "../rig/rig.ts";
import { userName } from "../shell/user-name.ts";
import { note } from "../terminal/output.ts";
import { loadSettings } from "./load-settings.ts";

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

/**
 * Puts the policy that a server begins to apply into the audit chain, unless it is the one that was applied last. The policy is part
 * of the config, so that its author is the user who started the server.
 */
export function recordPolicy({ policy, store }: Rig): void {
  if (store === undefined || store.readOnly) return;
  const text = policy === undefined ? "none" : canonicalJson(policy);
  const subject = hash("sha256", text);
  const [last] = store.records.changes({ action: "policy.applied", limit: 1 });
  // A store without a policy, as it has always been, has nothing to tell.
  if (last?.subject === subject || (last === undefined && policy === undefined)) return;
  try {
    const details = { policy: policy ?? null };
    store.records.storeChange({
      action: "policy.applied",
      subject,
      by: { id: userName(undefined) },
      details,
    });
  } catch (error) {
    note(`The policy is not in the audit chain: ${messageOf(error)}`, "warn");
  }
}
