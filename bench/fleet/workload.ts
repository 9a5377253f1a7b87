/** The same call and result for every system. */
export const ARGUMENTS = { path: "src/index.ts", from: 1, to: 40, encoding: "utf8" };
export const RESULT = { ok: true, text: "export const answer = 42;\n".repeat(4), lines: 4 };
export const SUBJECT = "bench.call";
export const QUEUE = "bench";
/** Of the protocol by hand. */
export const JOURNAL = { bucket: "bench", results: "bench.result", started: '{"state":"started"}' };
