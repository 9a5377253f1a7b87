import { ToolrigError } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { FleetOptions, NatsOptions } from "@toolrig/nats";
import type { OptionTable } from "../shell/command.ts";
import { notEmpty } from "../shell/flag-checks.ts";
import type { LoadedConfig } from "./load-config.ts";
import { CONFIG_OPTION } from "./load-settings.ts";
import { readSeedFile } from "./seed-file.ts";

const SEED_OPTION = {
  seed: {
    type: "string",
    value: "FILE",
    check: notEmpty,
    describe: "the file with the seed of your NKey (default: the config's)",
  },
} as const satisfies OptionTable;

/** Who somebody is that makes calls. */
const CALLER_OPTION = {
  ...SEED_OPTION,
  caller: {
    type: "string",
    value: "NAME",
    check: notEmpty,
    describe: "your name as a caller of the fleet (default: the config's)",
  },
} as const satisfies OptionTable;

/** The options of every command that talks to a fleet. */
export const NATS_OPTIONS = {
  ...CONFIG_OPTION,
  nats: { type: "string", value: "URL", describe: "the NATS server (default: the config's, or NATS_URL)" },
  ...SEED_OPTION,
} as const satisfies OptionTable;

/** Those of commands that talk to a fleet as one of its callers. */
export const NATS_CALLER_OPTIONS = { ...NATS_OPTIONS, ...CALLER_OPTION } as const satisfies OptionTable;

/** For commands that otherwise look into a store. */
export const OF_FLEET_OPTION = {
  nats: {
    type: "string",
    value: "URL",
    describe: "the ledger of the fleet on this NATS server, not a store",
  },
} as const satisfies OptionTable;

/** For commands that otherwise run calls here. */
export const ON_FLEET_OPTION = {
  nats: { type: "string", value: "URL", describe: "call the tools of the fleet on this NATS server" },
  ...CALLER_OPTION,
} as const satisfies OptionTable;

/** What was typed of a fleet. */
export interface TypedFleet {
  nats?: string | undefined;
  seed?: string | undefined;
  caller?: string | undefined;
}

interface FleetPlace {
  nats: NatsOptions;
  fleet?: FleetOptions;
}

type Settings = Pick<LoadedConfig, "nats" | "fleet" | "seed" | "caller">;

/**
 * Where the fleet is, and the login there. Credentials come with the config's `nats` and `seed`; a URL that was typed replaces
 * its servers only.
 */
export function fleetAt(typed: TypedFleet, settings: Settings): FleetPlace {
  return placeOf(typed, settings, seedOf(typed, settings));
}

/** The same for one of the fleet's callers, who signs with the NKey that it logs in with. */
export function callerAt(
  typed: TypedFleet,
  settings: Settings,
): FleetPlace & { caller?: string; signer?: string } {
  const signer = seedOf(typed, settings);
  const caller = typed.caller ?? settings.caller;
  return { ...placeOf(typed, settings, signer), ...defined({ caller, signer }) };
}

function placeOf(typed: TypedFleet, { nats, fleet }: Settings, seed: string | undefined): FleetPlace {
  const configured: NatsOptions = typeof nats === "string" ? { servers: nats } : (nats ?? {});
  const url = typed.nats ?? (configured.servers === undefined ? process.env.NATS_URL : undefined);
  const options = url === undefined ? configured : { ...configured, servers: url.split(",") };
  if (options.servers === undefined) {
    throw new ToolrigError(
      "OPTION_INVALID",
      "No server: give --nats URL, such as nats://127.0.0.1:4222, or set nats in the config.",
    );
  }
  // Who has another login signs with the seed only.
  const login = hasLogin(configured) ? {} : defined({ seed });
  return { nats: { ...options, ...login }, ...defined({ fleet }) };
}

function hasLogin({ authenticator, user, token, seed }: NatsOptions): boolean {
  return [authenticator, user, token, seed].some((each) => each !== undefined);
}

function seedOf(typed: TypedFleet, { seed }: Settings): string | undefined {
  const file = typed.seed ?? seed;
  return file === undefined ? undefined : readSeedFile(file);
}
