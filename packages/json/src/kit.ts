/** Entry point for `@toolrig/extract` and `@toolrig/core`. These names may change in any release. */
export { decodeAs } from "./decode.ts";
export { escapeInDoubt } from "./escape.ts";
export { isRecord } from "./is-record.ts";
export { Literals } from "./literals.ts";
export { parseAt } from "./parse.ts";
export { parseStrict } from "./parse-strict.ts";
export { lessSure } from "./repair.ts";
export { ANYWHERE, SchemaHint, schemaHint } from "./schema-hint.ts";
export { survey } from "./strange-keys.ts";
