import { declareOptions, defined, type OptionTable, option } from "@toolrig/core/kit";

/** How much of a server is taken. What is beyond is left out or cut, and said to be; nothing of it is looked at further. */
export interface Limits {
  /** Tools of one server. Default 1,000. */
  tools: number;
  /** Pages of a list. Default 200. */
  pages: number;
  /** Characters of a cursor, which is sent back with the next request. Default 4,096. */
  cursor: number;
  /** Characters of a tool's schemas as JSON, each. Default 64,000. */
  schema: number;
  /** How deeply a schema is nested. Default 40. */
  schemaDepth: number;
  /** What a schema's regular expressions may cost to compile, in characters of a plain one. Default 4,000. */
  patterns: number;
  /** Characters of all definitions of a server together. Default 4,000,000. */
  definitions: number;
  /** Characters of a description; a longer one is cut. Default 8,000. */
  description: number;
  /** Bytes of one message. Default 4,000,000. */
  message: number;
  /** Characters of a result's text; what is longer is cut. Default 1,000,000. */
  result: number;
  /** Notifications that wait to be read. Default 100. */
  notifications: number;
}

export const limitOptions = declareOptions("limits of an MCP connection", {
  tools: option.count(1, { default: 1_000 }),
  pages: option.count(1, { default: 200 }),
  cursor: option.count(1, { default: 4_096 }),
  schema: option.count(1, { default: 64_000 }),
  schemaDepth: option.count(1, { default: 40 }),
  patterns: option.count(1, { default: 4_000 }),
  definitions: option.count(1, { default: 4_000_000 }),
  description: option.count(1, { default: 8_000 }),
  message: option.count(1, { default: 4_000_000 }),
  result: option.count(1, { default: 1_000_000 }),
  notifications: option.count(1, { default: 100 }),
} satisfies OptionTable<Partial<Limits>>);

/** The limits of a connection, complete. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  return { ...limitOptions.defaults, ...defined(given) };
}
