import type { OptionTable } from "./command.ts";

/** The option of commands whose calls take a while. */
export const EVENTS_OPTION = {
  events: {
    type: "boolean",
    describe: "print what happens as it happens, a line of JSON each, as the server's streams have it",
  },
} as const satisfies OptionTable;
