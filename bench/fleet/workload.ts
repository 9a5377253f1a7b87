/** The same call and result for every system. */
export const ARGUMENTS = { path: "src/index.ts", from: 1, to: 40, encoding: "utf8" };
export const RESULT = { ok: true, text: "export const answer = 42;\n".repeat(4), lines: 4 };
export const SUBJECT = "bench.call";
export const QUEUE = "bench";

const fingerprint = "0123456789abcdef";
const at = 1_700_000_000_000;

/** What Toolrig stores and sends for this call. */
export const BY_HAND = {
  bucket: "bench",
  results: "bench.result",
  id: (count: number) => `exec_0123456789abcdef0123.${count.toString(36).padStart(8, "0")}`,
  call: (executionId: string) =>
    JSON.stringify({
      executionId,
      call: { id: "c1", name: "read_lines", arguments: ARGUMENTS },
      options: {},
    }),
  started: JSON.stringify({
    state: "started",
    worker: "worker_0123456789abcdef0123-00000001",
    attempt: 1,
    fingerprint,
    at,
  }),
  final: (executionId: string) =>
    JSON.stringify({
      state: "final",
      fingerprint,
      at,
      result: {
        callId: "c1",
        executionId,
        name: "read_lines",
        isError: false,
        content: [{ type: "text", text: JSON.stringify(RESULT) }],
        decoded: { mode: "strict", repairs: [] },
        attempts: 1,
        durationMs: 0.0478515625,
        value: RESULT,
      },
    }),
};
