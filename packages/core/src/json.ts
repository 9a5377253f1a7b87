/**
 * Alias for one release.
 *
 * @deprecated Import `coerce` from `@toolrig/core` and everything else from `@toolrig/json`.
 */
export {
  type Decoded,
  type DecodeLimits,
  type DecodeMode,
  type DecodeOptions,
  type DecodeStream,
  type DecodeStreamOptions,
  type Degree,
  decode,
  decodeStream,
  REPAIR_KINDS,
  type Repair,
  type RepairKind,
} from "@toolrig/json";
export { type CoerceOptions, type Coercion, coerce } from "./coerce/coerce.ts";
