import type { AnyTool, ToolContext, WaitContext } from "@toolrig/core";
import { defined, defineTool, mayRepeat } from "@toolrig/core/kit";
import type { AdmittedTool } from "../defence/admit.ts";
import { labelsOf } from "../wire/from-mcp-content.ts";
import { headerFault } from "../wire/from-mcp-headers.ts";
import type { Connection } from "./connection.ts";
import { optionalDefaults } from "./optional-defaults.ts";

/** How calls of a tool can be tasks of its server: because they must, before 2026-07-28, or because the server says so each time. */
export type TaskUse = "required" | "possible" | undefined;

/** Read with the first call, and kept: to import again what is there costs as much as a guard. */
let calling: typeof import("./call.ts") | undefined;

/** A server's tool as one of ours. Throws `TOOL_INVALID_DEFINITION` for what the registry could not take. */
export function toolOf(connection: Connection, admitted: AdmittedTool, tasks?: TaskUse): AnyTool {
  const { name, title, description, inputSchema, outputSchema, safety } = admitted;
  const { server } = connection;
  if (server.url !== undefined && connection.era === "2026") refuseHeaders(inputSchema);
  const isRepeatable = mayRepeat(safety);
  return defineTool(
    {
      name,
      description,
      input: optionalDefaults(inputSchema),
      ...defined({ output: outputSchema, label: title }),
      safety,
      type: "mcp",
      timeout: server.timeoutMs,
      idleTimeout: server.idleTimeoutMs,
      labels: labelsOf(connection.name),
      available: () => connection.available(),
      execute: async (args, context) => {
        calling ??= await import("./call.ts");
        return calling.callTool(connection, admitted, args, context, isRepeatable);
      },
      ...(tasks === "required" && asTask(connection, admitted)),
      ...(tasks === "possible" && maybeTask(connection, admitted)),
    },
    { trusted: false },
  );
}

/** A tool whose calls go on at the server, and whose results are asked for. */
function asTask(connection: Connection, admitted: AdmittedTool) {
  return {
    wait: EVERY,
    execute: async (args: unknown, context: ToolContext) =>
      (await import("./task.ts")).startTask(connection, admitted, args, context),
    check: async (ref: unknown, context: WaitContext) =>
      (await import("./task.ts")).checkTask(connection, admitted, ref, context),
    cancel: async (ref: unknown, context: WaitContext) =>
      (await import("./task.ts")).cancelTask(connection, ref, context),
  } as const;
}

/** The same of 2026-07-28, where a call becomes a task only when it is made. */
function maybeTask(connection: Connection, admitted: AdmittedTool) {
  return {
    wait: EVERY,
    check: async (ref: unknown, context: WaitContext) =>
      (await import("./task-2026.ts")).checkTask(connection, admitted, ref, context),
    cancel: async (ref: unknown, context: WaitContext) =>
      (await import("./task.ts")).cancelTask(connection, ref, context),
  } as const;
}

const EVERY = { every: "1s", maxEvery: "30s" } as const;

function refuseHeaders(schema: unknown): void {
  const fault = headerFault(schema);
  if (fault !== undefined) throw new Error(fault);
}
