import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

/** A server that others wrote, and calls of it that change nothing and reach nothing. */
export interface ThirdParty {
  name: string;
  program: { command: string; args: string[] };
  calls: readonly { tool: string; args: Record<string, unknown> }[];
}

const program = (module: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fileURLToPath(import.meta.resolve(module)), ...args],
});

export const THIRD_PARTIES: readonly ThirdParty[] = [
  {
    name: "filesystem",
    program: program("@modelcontextprotocol/server-filesystem/dist/index.js", tmpdir()),
    calls: [{ tool: "list_allowed_directories", args: {} }],
  },
  {
    name: "everything",
    program: program("@modelcontextprotocol/server-everything/dist/index.js"),
    calls: [
      { tool: "echo", args: { message: "hello" } },
      { tool: "get-sum", args: { a: 19, b: 23 } },
      { tool: "get-tiny-image", args: {} },
      { tool: "get-structured-content", args: { location: "Chicago" } },
    ],
  },
];
