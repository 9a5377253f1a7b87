import type {
  CallLine,
  CallRequest,
  CallStatus,
  CallStory,
  FeedMessage,
  InboxItem,
  RunCall,
  RunDetail,
  RunLine,
  RunRequest,
} from "../wire.ts";
import {
  anything,
  count,
  duration,
  flag,
  idUpTo,
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

export const FAILURE_KINDS = oneOf(
  "validation",
  "not_found",
  "denied",
  "unavailable",
  "transient",
  "timeout",
  "cancelled",
  "unknown",
  "budget",
  "fatal",
);
export const BLAMES = oneOf("model", "tool", "world", "policy", "caller");
export const STATES = oneOf("running", "waiting", "ok", "failed", "unknown");
const WAITS = oneOf("approval", "question", "deferred", "external", "background");
export const RUN_STATES = oneOf("running", "waiting", "answered", "failed", "aborted", "open", "ended");
const COMMANDS = list(shape<CallStory["commands"][number]>({ label: text, command: text }));

export const callLine = shape<CallLine>(
  {
    executionId: text,
    revision: count,
    callId: text,
    name: text,
    runId: maybe(text),
    parentId: maybe(text),
    principal: maybe(text),
    source: text,
    gist: text,
    state: STATES,
    startedAt: time,
    endedAt: maybe(time),
    durationMs: maybe(duration),
    note: maybe(text),
    progress: maybe(number),
    waiting: maybe(
      shape<NonNullable<CallLine["waiting"]>>({ kind: WAITS, since: time, expiresAt: maybe(time) }),
    ),
    attempt: maybe(count),
    repaired: maybe(flag),
    cached: maybe(flag),
    failure: maybe(
      shape<NonNullable<CallLine["failure"]>>({
        kind: FAILURE_KINDS,
        code: text,
        message: text,
        blame: BLAMES,
      }),
    ),
    verdict: maybe(oneOf("asked", "denied", "rewrote")),
  },
  "A call on one line. Of one execution the one with the highest revision counts.",
);

export const runLine = shape<RunLine>(
  {
    runId: text,
    revision: count,
    kind: oneOf("loop", "structured", "plan", "script"),
    task: text,
    state: RUN_STATES,
    startedAt: time,
    updatedAt: time,
    endedAt: maybe(time),
    turns: count,
    calls: maybe(count),
    failures: maybe(count),
    principal: maybe(text),
    forkedFrom: maybe(shape<NonNullable<RunLine["forkedFrom"]>>({ runId: text, turn: count })),
    here: flag,
  },
  "A run on one line.",
);

export const feedMessage = shape<FeedMessage>(
  { calls: list(ref("CallLine")), runs: list(ref("RunLine")), inbox: maybe(count), more: maybe(count) },
  "What changed since the message before.",
);

export const callRequest = taken<CallRequest>(
  {
    name: { ...textUpTo(200, "Of the tool"), minLength: 1 },
    arguments: maybe({ description: "An object, or the text that a model wrote" }),
    id: maybe(idUpTo(200, "Of the model's call. Default: one is made")),
    version: maybe(textUpTo(100, 'A version range such as "^1.2". Default: the newest')),
    runId: maybe(idUpTo(200)),
    requestId: maybe(idUpTo(200)),
    async: maybe({
      type: "boolean",
      description: "Answer 202 at once; GET /calls/{executionId} has the result",
    }),
    onWaiting: maybe({
      ...oneOf("hold", "return"),
      description:
        'What happens to a call that waits for the world: "return" (default) answers with what it waits for, "hold" keeps the request open',
    }),
  },
  "A call of a tool.",
);

/** As core has it. What is not listed here is there as well. */
export const toolResult = {
  type: "object",
  description: "What one call came to.",
  properties: {
    callId: text,
    executionId: text,
    name: text,
    isError: flag,
    content: list(object),
    value: anything,
    details: anything,
    effects: list(object),
    failure: ref("Failure"),
    decoded: object,
    attempts: count,
    durationMs: duration,
    cached: flag,
    replayed: flag,
    artifact: text,
    waiting: object,
    waitedMs: duration,
  },
  required: ["callId", "executionId", "name", "isError", "content", "decoded", "attempts", "durationMs"],
};

export const failure = {
  type: "object",
  description: "Why a call did not succeed.",
  properties: { kind: FAILURE_KINDS, code: text, message: text, retryable: flag, details: anything },
  required: ["kind", "code", "message", "retryable"],
};

export const callStatus = shape<CallStatus>({
  executionId: text,
  line: ref("CallLine"),
  state: STATES,
  result: maybe(ref("ToolResult")),
});

export const callStory = shape<CallStory>(
  {
    line: ref("CallLine"),
    version: maybe(text),
    source: text,
    principal: maybe(object),
    rawArguments: anything,
    args: anything,
    repairs: list(shape<CallStory["repairs"][number]>({ kind: text, at: maybe(text), message: text })),
    verdicts: list(
      shape<CallStory["verdicts"][number]>({
        guard: text,
        verdict: text,
        reason: maybe(text),
        sentence: text,
      }),
    ),
    stages: list(
      shape<CallStory["stages"][number]>({
        name: oneOf("prepare", "wait", "run", "retry", "settle"),
        startMs: duration,
        durationMs: duration,
        note: maybe(text),
      }),
    ),
    attempts: list(
      shape<CallStory["attempts"][number]>({
        attempt: count,
        failure: maybe(ref("Failure")),
        delayMs: maybe(duration),
        error: maybe(object),
      }),
    ),
    waits: list(
      shape<CallStory["waits"][number]>({ kind: WAITS, how: text, waitedMs: duration, by: maybe(text) }),
    ),
    updates: list(shape<CallStory["updates"][number]>({ at: time, update: object })),
    effects: list(shape<CallStory["effects"][number]>({ effect: object, sentence: text, diff: maybe(text) })),
    content: list(object),
    cut: maybe(shape<NonNullable<CallStory["cut"]>>({ bytes: count, artifact: maybe(text) })),
    failure: maybe(ref("Failure")),
    labels: maybe(anything),
    children: list(ref("CallLine")),
    late: list(object),
    record: maybe(
      shape<NonNullable<CallStory["record"]>>({ seq: count, hash: text, recovered: maybe(flag) }),
    ),
    commands: COMMANDS,
  },
  "Everything known of one call.",
);

export const inboxItem = shape<InboxItem>(
  {
    id: text,
    kind: WAITS,
    executionId: text,
    callId: text,
    name: text,
    runId: maybe(text),
    principal: maybe(object),
    sentence: text,
    reasons: list(shape<InboxItem["reasons"][number]>({ guard: maybe(text), text })),
    args: anything,
    rawArguments: maybe(anything),
    inputSchema: maybe(object),
    outputSchema: maybe(object),
    question: maybe(shape<NonNullable<InboxItem["question"]>>({ text, schema: maybe(object) })),
    taint: maybe(
      list(
        shape<NonNullable<InboxItem["taint"]>[number]>({
          name: text,
          executionId: maybe(text),
          labels: list(text),
        }),
      ),
    ),
    safety: maybe(ref("Safety")),
    createdAt: time,
    expiresAt: maybe(time),
    approved: maybe(shape<NonNullable<InboxItem["approved"]>>({ at: time, by: maybe(text) })),
    may: shape<InboxItem["may"]>({ answer: flag, why: maybe(text) }),
    note: maybe(text),
  },
  "Something that waits for a person or a result.",
);

export const runRequest = taken<RunRequest>(
  {
    input: { ...textUpTo(200_000, "The task"), minLength: 1 },
    system: maybe(textUpTo(200_000, "The system prompt. Default: the rig's")),
    maxIterations: maybe({
      type: "integer",
      minimum: 1,
      maximum: 1_000,
      description: "Turns with calls. Default 20",
    }),
    onWaiting: maybe({
      ...oneOf("hold", "return", "continue", "suspend"),
      description:
        'What the run does while calls wait for the world: "return" ends it with status "waiting" until it is resumed ("suspend" is an earlier word for that), "continue" lets the model go on',
    }),
  },
  "A task for a model.",
);

const runCall = shape<RunCall>({
  line: ref("CallLine"),
  segments: list(
    shape<RunCall["segments"][number]>({
      kind: oneOf("queue", "policy", "approval", "wait", "execute", "retry"),
      startAt: time,
      endAt: maybe(time),
    }),
  ),
});

export const runDetail = shape<RunDetail>(
  {
    line: ref("RunLine"),
    turns: list(
      shape<RunDetail["turns"][number]>({
        turn: count,
        startedAt: time,
        endedAt: maybe(time),
        calls: list(runCall),
      }),
    ),
    transcript: list(
      shape<RunDetail["transcript"][number]>({
        turn: count,
        role: oneOf("system", "user", "assistant", "tool"),
        text,
        calls: maybe(list(object)),
        executionId: maybe(text),
        isError: maybe(flag),
      }),
    ),
    outcome: maybe(anything),
    waitingFor: list(ref("InboxItem")),
    children: list(ref("RunLine")),
    commands: COMMANDS,
  },
  "A run, turn by turn.",
);
