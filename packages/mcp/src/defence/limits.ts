import { type Checks, settingsOf } from "@toolrig/core/kit";

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

const DEFAULTS: Limits = {
  tools: 1_000,
  pages: 200,
  cursor: 4_096,
  schema: 64_000,
  schemaDepth: 40,
  patterns: 4_000,
  definitions: 4_000_000,
  description: 8_000,
  message: 4_000_000,
  result: 1_000_000,
  notifications: 100,
};

const SETTINGS = settingsOf<Limits>({
  tools: true,
  pages: true,
  cursor: true,
  schema: true,
  schemaDepth: true,
  patterns: true,
  definitions: true,
  description: true,
  message: true,
  result: true,
  notifications: true,
});

/** The limits of a connection, complete. Throws `OPTION_INVALID` for one that is misspelt or no whole number. */
export function limitsOf(given: Partial<Limits> = {}, check: Checks): Limits {
  check.known("limits", given, SETTINGS);
  for (const [field, value] of Object.entries(given)) check.count(`limits.${field}`, value);
  return { ...DEFAULTS, ...given };
}
