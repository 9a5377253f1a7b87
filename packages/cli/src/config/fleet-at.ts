import { ToolrigError } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { FleetOptions, NatsOptions } from "@toolrig/nats";
import type { OptionTable } from "../shell/command.ts";
import type { LoadedConfig } from "./load-config.ts";
import { CONFIG_OPTION } from "./load-settings.ts";

/** The options of every command that talks to a fleet. */
export const NATS_OPTIONS = {
  ...CONFIG_OPTION,
  nats: { type: "string", value: "URL", describe: "the NATS server (default: the config's, or NATS_URL)" },
} as const satisfies OptionTable;

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
} as const satisfies OptionTable;

/** Where the fleet is. Credentials come with the config's `nats`; a URL that was typed replaces its servers only. */
export function fleetAt(
  typed: string | undefined,
  { nats, fleet }: Pick<LoadedConfig, "nats" | "fleet">,
): { nats: NatsOptions; fleet?: FleetOptions } {
  const configured: NatsOptions = typeof nats === "string" ? { servers: nats } : (nats ?? {});
  const url = typed ?? (configured.servers === undefined ? process.env.NATS_URL : undefined);
  const options = url === undefined ? configured : { ...configured, servers: url.split(",") };
  if (options.servers === undefined) {
    throw new ToolrigError(
      "OPTION_INVALID",
      "No server: give --nats URL, such as nats://127.0.0.1:4222, or set nats in the config.",
    );
  }
  return { nats: options, ...defined({ fleet }) };
}
