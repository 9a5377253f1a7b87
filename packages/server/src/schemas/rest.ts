import type {
  AuditVerdict,
  DemoStarted,
  FailureGroup,
  FleetState,
  PolicyAnswer,
  PolicyQuestion,
  Problem,
  RetriedLetter,
  ServerInfo,
  ToolDetail,
  ToolLine,
  ToolStats,
} from "../wire.ts";
import { BLAMES, FAILURE_KINDS } from "./calls.ts";
import {
  anything,
  count,
  duration,
  flag,
  list,
  maybe,
  number,
  object,
  oneOf,
  ref,
  shape,
  taken,
  text,
  textUpTo,
  time,
} from "./shape.ts";

export const problem = shape<Problem>(
  {
    type: text,
    title: text,
    status: count,
    detail: text,
    code: text,
    issues: maybe(list(shape<NonNullable<Problem["issues"]>[number]>({ path: text, message: text }))),
    retryAfterMs: maybe(duration),
  },
  "Why a request was not done (RFC 9457).",
);

export const serverInfo = shape<ServerInfo>({
  name: { const: "toolrig" },
  version: text,
  startedAt: time,
  principal: object,
  scopes: list(text),
  inbox: maybe(count),
  features: shape<ServerInfo["features"]>({
    store: flag,
    engine: flag,
    approvals: flag,
    policy: flag,
    mcp: flag,
    fleet: flag,
    demo: flag,
  }),
});

export const safety = shape<ToolLine["safety"]>({
  sideEffects: oneOf("none", "read", "write", "external"),
  idempotent: flag,
  requires: list(text),
  declared: flag,
});

const perhaps = (schema: object) => ({ anyOf: [schema, { type: "null" }] });

export const toolStats = shape<ToolStats>({
  calls: count,
  failures: count,
  byBlame: object,
  p50Ms: maybe(duration),
  p95Ms: maybe(duration),
  lastUsedAt: maybe(time),
  trend: shape<ToolStats["trend"]>({
    stepMs: duration,
    calls: list(count),
    failures: list(count),
    p50: list(perhaps(number)),
    p95: list(perhaps(number)),
  }),
});

const LINE = {
  name: text,
  version: maybe(text),
  provider: maybe(text),
  title: maybe(text),
  description: text,
  safety: ref("Safety"),
  available: flag,
  reason: maybe(text),
  stats: ref("ToolStats"),
};

export const toolLine = shape<ToolLine>(LINE);

export const toolDetail = shape<ToolDetail>({
  ...LINE,
  definition: object,
  ownDescription: maybe(text),
  timeoutMs: maybe(duration),
  recentInputs: list(
    shape<ToolDetail["recentInputs"][number]>({ args: anything, at: time, executionId: text, isError: flag }),
  ),
  users: list(shape<ToolDetail["users"][number]>({ id: text, calls: count, lastAt: time })),
});

export const failureGroup = shape<FailureGroup>({
  kind: FAILURE_KINDS,
  blame: BLAMES,
  fingerprint: text,
  code: text,
  tool: text,
  message: text,
  count,
  firstAt: time,
  lastAt: time,
  example: text,
  trend: list(count),
});

export const auditVerdict = shape<AuditVerdict>({
  intact: flag,
  records: count,
  first: maybe(object),
  last: maybe(object),
  keyed: flag,
  problems: list(object),
  checkedAt: time,
  tookMs: duration,
});

export const fleetState = shape<FleetState>({
  connected: flag,
  local: shape<FleetState["local"]>({ running: count, waiting: count, slots: maybe(count) }),
  workers: list(object),
  queues: list(object),
  deadLetters: list(object),
});

export const retriedLetter = shape<RetriedLetter>({ executionId: maybe(text) });

export const policyQuestion = taken<PolicyQuestion>({
  tool: { ...textUpTo(200), minLength: 1 },
  args: maybe(anything),
  principal: maybe(textUpTo(200)),
  source: maybe(oneOf("model", "extracted", "script", "tool", "mcp", "http", "cli", "remote")),
  runLabels: maybe({ ...list(textUpTo(200)), maxItems: 50 }),
});

export const policyAnswer = shape<PolicyAnswer>({
  verdict: oneOf("allow", "deny", "ask", "refused"),
  sentence: text,
  rule: maybe(text),
  rules: list(shape<PolicyAnswer["rules"][number]>({ name: text, matched: flag, why: text })),
  failure: maybe(ref("Failure")),
});

export const demoStarted = shape<DemoStarted>({ runId: text });

/** A call as it is kept. What is not listed here is there as well. */
export const storedRecord = {
  type: "object",
  description: "A recorded call, with its place in the chain.",
  properties: {
    seq: count,
    hash: text,
    executionId: text,
    callId: text,
    name: text,
    source: text,
    rawArguments: anything,
    args: anything,
    result: ref("ToolResult"),
    verdicts: list(object),
    startTime: time,
    endTime: time,
    durationMs: duration,
    timing: object,
  },
  required: ["seq", "hash", "executionId", "callId", "name", "source", "result", "startTime", "endTime"],
};
