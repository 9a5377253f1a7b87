import type { Guard } from "../guard.ts";

/** Asks about calls that were found in prose and would change something, and about calls that tools make for those. */
export const extractedNeedsApproval: Guard = {
  name: "approval-needed",

  before({ tool }) {
    const reason = `the call of ${tool.name} was found in the model's text, and the tool has side effects`;
    return { verdict: "ask", reason };
  },
};
