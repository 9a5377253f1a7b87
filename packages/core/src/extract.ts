/**
 * Alias for one release.
 *
 * @deprecated Import from `@toolrig/extract`.
 */
export {
  type ExtractEvent,
  type Extracted,
  type ExtractedCall,
  type ExtractFamily,
  type ExtractOptions,
  type ExtractStream,
  type ExtractTool,
  extract,
  extractStream,
  families,
  withoutReasoning,
} from "@toolrig/extract";
