import type { CallOptions, CallRecord, CallSource, ToolCall, ToolResult } from "@toolrig/core";
import type { Asked, House, WayOptions } from "./house.ts";

/** A way in which a call can come about. */
export interface Way {
  readonly name: string;
  /** What the record of the call says of where it came from. */
  readonly source: CallSource;
  /** How many calls the house sees for each one that is made; the one that counts is the last. Default 1. */
  readonly calls?: number;
  /** Tools are pure, so that their answers are remembered. */
  readonly pure?: true;
  /** The call is answered with what is known. */
  readonly answers?: "from the ledger" | "from memory";
  /** Who counts what is spent: a guard of this process, or the loop, also over what an earlier process spent. Default the guard. */
  readonly counts?: readonly ("guard" | "loop")[];
  /** What lets the call run was given to one principal, and is worth nothing to another. */
  readonly personal?: true;
  /** Nobody hears how the text of arguments ends: only the text can show that it was cut off. */
  readonly unheard?: true;
  /** Why an answer that is known is given whoever asks. */
  readonly shared?: string;
  /** What else the record of the call says. */
  recorded?(house: House): Partial<CallRecord>;
  /** Shows the ledger in processes of their own, where the call does not run in this one. Gives what was missed. */
  ledger?(): Promise<readonly string[]>;
  options?(house: House): WayOptions;
  /**
   * Makes calls one after the other, in one run, on behalf of the house's principal, and gives what each came to. `again`: the
   * same executions, by the next process.
   */
  make(house: House, asked: readonly Asked[], again?: "again"): Promise<ToolResult[]>;
}

export const callOf = ({ name, args, cut }: Asked, index: number): ToolCall => ({
  id: `call_${index}`,
  name,
  arguments: cut?.text ?? args,
});

/** Who makes a call, as part of what, and whether they know that it is not whole. */
export const from = ({ runId, principal }: House, { cut }: Asked): CallOptions => ({
  runId,
  principal,
  ...(cut?.noticed === true && { complete: false }),
});

export async function oneByOne(
  asked: readonly Asked[],
  make: (asked: Asked, index: number) => Promise<ToolResult | undefined>,
): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  for (const [index, each] of asked.entries()) {
    const result = await make(each, index);
    if (result !== undefined) results.push(result);
  }
  return results;
}
