import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Redactor, ToolrigError } from "@toolrig/core";
import { isBackup, openStore, type Store } from "@toolrig/store";
import { isStore } from "../rig/assemble.ts";
import type { OptionTable } from "../shell/command.ts";
import { CONFIG_OPTION, type Loaded, loadSettings } from "./load-settings.ts";
import { findOwnConfig } from "./own-config.ts";

/** The options of every command that looks into a store. */
export const STORE_OPTIONS = {
  ...CONFIG_OPTION,
  store: { type: "string", short: "s", value: "FILE", describe: "the store (default: the config's)" },
} as const satisfies OptionTable;

export interface StoreValues {
  readonly config?: string;
  readonly store?: string;
}

/** Opens the store that is there, a backup for reading only unless `use` writes, and closes it again. Throws `OPTION_INVALID` when there is none: none is made. */
export async function withStore<Result>(
  values: StoreValues,
  use: (store: Store) => Result | Promise<Result>,
  { writes = false }: { writes?: boolean } = {},
): Promise<Result> {
  const { redact, store: configured } = (await settingsFor(values)).rig;
  const place = values.store ?? configured;
  const store =
    typeof place === "string"
      ? openStore(existingStore(place), {
          ...(redact instanceof Redactor && { redactor: redact }),
          // To look into a backup is not to restore it.
          readOnly: !writes && isBackup(place),
        })
      : place;
  if (!isStore(store)) throw noStore();
  try {
    return await use(store);
  } finally {
    store.close();
  }
}

/** The file of the store that is configured or named, whether or not it is there. Throws `OPTION_INVALID` when none is. */
export async function placeOfStore(values: StoreValues): Promise<string> {
  const place = values.store ?? (await settingsFor(values)).rig.store;
  if (typeof place !== "string") throw noStore();
  return place;
}

function noStore(): ToolrigError {
  return new ToolrigError(
    "OPTION_INVALID",
    'There is no store to look into: give --store FILE, or set store: "toolrig.db" in the config.',
  );
}

/** Also with a store that was named: opening it may record what a killed process left, by the rules of the config. */
async function settingsFor({ store, config }: StoreValues): Promise<Loaded> {
  const isAlone = store !== undefined && config === undefined && findOwnConfig(process.cwd()) === undefined;
  return isAlone ? { rig: {} } : loadSettings(config, { needed: false });
}

/** The whole path of a store. Throws `OPTION_INVALID` when there is none: none is made. */
export function existingStore(file: string): string {
  const path = resolve(file);
  if (file === ":memory:") return file;
  // A log without its file is what is left of a store: opening it says so.
  if (existsSync(path) || existsSync(`${path}-wal`)) return path;
  throw new ToolrigError(
    "OPTION_INVALID",
    `There is no store ${path} yet. It is made by the first call that is recorded.`,
  );
}
