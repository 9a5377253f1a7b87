import { answeredWith, call, failing, noted, retriedFor, type Situation } from "./situation.ts";

const done = { text: "Done." };
const error = (type: string) => ({ error: { type, message: type } });

/** Refusals of vendors, and the limits of a run. */
export const LIMITS: readonly Situation[] = [
  {
    name: "429 with how long to wait",
    async misses(bench) {
      // Google says it in the body.
      const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.08s" }];
      const body = { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "quota", details } };
      const limited =
        bench.vendor === "google"
          ? { status: 429, body }
          : { status: 429, body: error("rate_limit_error"), headers: { "retry-after": "0.08" } };
      const conversation = await bench.play([limited, done]);
      const [delayMs = 0] = conversation.retries.map((retry) => retry.delayMs);
      return failing({
        ...answeredWith(conversation, "Done."),
        ...retriedFor(conversation, "rate_limit"),
        [`waits 80 ms and not ${delayMs}`]: delayMs >= 80,
      });
    },
  },
  {
    name: "529, then 503",
    async misses(bench) {
      const busy = (status: number) => ({ status, body: error("overloaded_error") });
      const conversation = await bench.play([busy(529), busy(503), done]);
      return failing({
        ...answeredWith(conversation, "Done."),
        ...retriedFor(conversation, "overloaded", "overloaded"),
      });
    },
  },
  {
    name: "401",
    async misses(bench) {
      const { outcome, requests } = await bench.play([
        { status: 401, body: error("authentication_error") },
        done,
      ]);
      const fault = outcome.status === "failed" ? outcome.error.fault : outcome.status;
      return failing({
        [`fails for authentication and not for ${fault}`]: fault === "authentication",
        "is not asked again": requests.length === 1,
      });
    },
  },
  {
    name: "tokens of failed responses count",
    async misses(bench) {
      const conversation = await bench.play([{}, { text: " " }, done]);
      const { inputTokens, outputTokens } = conversation.outcome.usage;
      return failing({
        ...answeredWith(conversation, "Done."),
        [`counts 33 and 21, not ${inputTokens} and ${outputTokens}`]:
          inputTokens === 33 && outputTokens === 21,
      });
    },
  },
  {
    name: "a budget of tokens that failed responses use up",
    async misses(bench) {
      const loop = { budgets: { tokens: 20 } };
      const { outcome, requests } = await bench.play([{}, {}, done], { loop });
      return failing({
        "fails for its budget":
          outcome.status === "failed" && outcome.error.code === "ORCHESTRATION_BUDGET_EXCEEDED",
        [`is asked twice, not ${requests.length} times`]: requests.length === 2,
      });
    },
  },
  {
    name: "a budget of calls, and a model that insists",
    async misses(bench) {
      const replies = ["one", "two", "three", "four"].map((text) => ({ calls: [call(text)] }));
      const loop = { budgets: { calls: 1 } };
      const { outcome, requests, notes } = await bench.play(replies, { loop });
      return failing({
        ...noted({ outcome, requests, notes, retries: [], sent: "" }, "one"),
        "fails for its budget":
          outcome.status === "failed" && outcome.error.code === "ORCHESTRATION_BUDGET_EXCEEDED",
        [`is asked three times, not ${requests.length}`]: requests.length === 3,
        "shows no tools in its last turn": requests.at(-1)?.tools === undefined,
      });
    },
  },
  {
    name: "a tool that is not granted",
    async misses(bench) {
      const loop = { executor: { capabilities: [] } };
      const conversation = await bench.play([{ calls: [call("one")] }, done], { loop });
      return failing({
        ...answeredWith(conversation, "Done."),
        "is not offered": !conversation.sent.includes("fetch_it"),
        "others are": conversation.sent.includes("Write a note"),
      });
    },
  },
];
