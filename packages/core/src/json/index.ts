export type { DecodeMode, Degree, Repair } from "../call/decoded.ts";
export { type CoerceOptions, type Coercion, coerce } from "./coerce.ts";
export { type Decoded, type DecodeOptions, decode } from "./decode.ts";
export type { DecodeLimits } from "./limits.ts";
export { REPAIR_KINDS, type RepairKind } from "./repair-kinds.ts";
export { type DecodeStream, type DecodeStreamOptions, decodeStream } from "./stream.ts";
