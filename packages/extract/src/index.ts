export type { ExtractEvent, ExtractedCall } from "./call.ts";
export {
  type Extracted,
  type ExtractOptions,
  type ExtractStream,
  extract,
  extractStream,
} from "./extract.ts";
export type { ExtractFamily } from "./family.ts";
export { families } from "./family-table.ts";
export type { ExtractTool } from "./tool-index.ts";
export { withoutReasoning } from "./without-reasoning.ts";
