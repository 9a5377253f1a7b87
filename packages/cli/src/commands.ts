import type { CommandTable } from "./command.ts";

/**
 * Every command, in the order in which help lists them. A new one is a file and a line here. Each is loaded when it is
 * needed, so that none pays for what another imports.
 */
export const commands: CommandTable = {
  tools: async () => (await import("./commands/tools.ts")).tools,
  call: async () => (await import("./commands/call.ts")).call,
  repair: async () => (await import("./commands/repair.ts")).repair,
  extract: async () => (await import("./commands/extract.ts")).extract,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  completion: async () => (await import("./commands/completion.ts")).completion,
  help: async () => (await import("./commands/help.ts")).help,
};
