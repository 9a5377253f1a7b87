export { type Decoded, type DecodeFailure, type DecodeOptions, decode } from "./decode.ts";
export type { DecodeLimits } from "./limits.ts";
export type { DecodeMode, Degree, Repair } from "./repair.ts";
export { REPAIR_KINDS, type RepairKind } from "./repair-kinds.ts";
export { type DecodeStream, type DecodeStreamOptions, decodeStream } from "./stream.ts";
