import type { LoggingLevel } from "@modelcontextprotocol/server";
import { type EventStream, type LogLevel, type ProgressUpdate, Redactor } from "@toolrig/core";
import type { CallContext } from "./call.ts";

/** Hears what is told of one call while it runs. */
interface Hearer {
  update: ((update: ProgressUpdate) => void) | undefined;
  log: ((level: LogLevel, message: string, data: unknown) => void) | undefined;
  /** It waits with its code in memory: it goes on when there is an answer, and is not made again. */
  held: ((executionId: string) => void) | undefined;
}

/** Brings what calls tell to the clients that made them. One listener for all calls, whatever their number. */
export class Updates {
  readonly #hearers = new Map<string, Hearer>();
  readonly #stops: readonly (() => void)[];

  constructor(events: EventStream) {
    this.#stops = [
      events.watch("call.update", ({ callId, update }) => this.#hearers.get(callId)?.update?.(update)),
      events.watch("call.log", ({ callId, level, message, data }) =>
        this.#hearers.get(callId)?.log?.(level, message, data),
      ),
      events.watch("call.waiting", ({ callId, executionId, parked }) => {
        if (!parked) this.#hearers.get(callId)?.held?.(executionId);
      }),
    ];
  }

  /** Until the function that is given back is called. `callId` is of this server's making, so that no other call has it. */
  hear(
    callId: string,
    ctx: CallContext,
    level: LoggingLevel | undefined,
    held?: (executionId: string) => void,
  ): () => void {
    const update = progressOf(ctx);
    const log = level === undefined ? undefined : logOf(ctx, level);
    if (update === undefined && log === undefined && held === undefined) return nothing;
    this.#hearers.set(callId, { update, log, held });
    return () => this.#hearers.delete(callId);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#hearers.clear();
  }
}

const nothing = () => {};
const redactor = new Redactor();

/** The most often that progress is told: what comes between is out of date when it would arrive. */
const EVERY_MS = 20;
const MAX_MESSAGE = 1_000;

/** Progress grows with every notification, as MCP wants it: a tool that tells no share of the whole counts its updates. */
function progressOf(ctx: CallContext): Hearer["update"] {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  let toldAt = Number.NEGATIVE_INFINITY;
  return ({ progress: share, content, details }) => {
    const now = performance.now();
    if (now - toldAt < EVERY_MS && share !== 1) return;
    const progress = share === undefined ? countOn(last) : share;
    if (!(progress > last)) return;
    last = progress;
    toldAt = now;
    const text = content ?? (typeof details === "string" ? details : undefined);
    void ctx.mcpReq
      .notify({
        method: "notifications/progress",
        params: {
          progressToken,
          progress,
          ...(share !== undefined && { total: 1 }),
          ...(text !== undefined && { message: redactor.text(text.slice(0, MAX_MESSAGE)) }),
        },
      })
      .catch(() => {});
  };
}

/** Between shares of a whole, a little on; else one more. */
function countOn(last: number): number {
  return last > 0 && last < 1 ? last + (1 - last) / 1_000 : Math.floor(last) + 1;
}

const LEVEL = { debug: "debug", info: "info", warn: "warning", error: "error" } as const;
const SEVERITY: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Logs are for those who run the tools: a client gets those that it has asked for, without secrets. */
function logOf(ctx: CallContext, least: LoggingLevel): Hearer["log"] {
  return (given, message, data) => {
    const level = LEVEL[given];
    if (SEVERITY.indexOf(level) < SEVERITY.indexOf(least)) return;
    const told = redactor.text(message);
    const params = { level, data: data === undefined ? told : { message: told, data: redactor.value(data) } };
    void ctx.mcpReq.notify({ method: "notifications/message", params }).catch(() => {});
  };
}
