import type { ToolResult } from "@toolrig/core";
import { toPlain } from "@toolrig/core/kit";

/**
 * A result that JSON can hold, and its length as JSON. The value may be an object of the tool's own, whose `toJSON` throws by now:
 * value and details of such a result are left out, and the rest is there as plain data.
 */
export function writableResult(result: ToolResult): { readonly result: ToolResult; readonly size: number } {
  try {
    return { result, size: JSON.stringify(result).length };
  } catch {
    const { value: _, details: __, ...rest } = result;
    const plain = toPlain(rest) as ToolResult;
    return { result: plain, size: JSON.stringify(plain).length };
  }
}
