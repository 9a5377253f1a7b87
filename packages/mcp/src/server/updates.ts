import type { LoggingLevel } from "@modelcontextprotocol/server";
import { type EventStream, type LogLevel, type ProgressUpdate, Redactor } from "@toolrig/core";
import { defined, isRecord } from "@toolrig/core/kit";
import { logIn, SEVERITY } from "../wire/carried.ts";
import type { CallContext } from "./call.ts";
import type { Caller } from "./caller.ts";
import type { Outlet } from "./unread.ts";

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
    { outlet, ...caller }: Pick<Caller, "logLevel" | "outlet">,
    held?: (executionId: string) => void,
  ): () => void {
    const level = caller.logLevel(ctx);
    const update = progressOf(ctx, outlet);
    const logs = level === undefined ? undefined : new Logs(ctx, outlet, level);
    if (update === undefined && logs === undefined && held === undefined) return nothing;
    this.#hearers.set(callId, { update, log: logs?.tell, held });
    return () => {
      this.#hearers.delete(callId);
      logs?.tellMissing();
    };
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
function progressOf(ctx: CallContext, outlet: Outlet): Hearer["update"] {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  let toldAt = Number.NEGATIVE_INFINITY;
  return ({ progress: share, content, details }) => {
    const now = performance.now();
    if ((now - toldAt < EVERY_MS && share !== 1) || outlet.isBehind(ctx)) return;
    const counted = countIn(details);
    const progress = counted?.progress ?? share ?? countOn(last);
    if (!(progress > last)) return;
    last = progress;
    toldAt = now;
    const text = content ?? (typeof details === "string" ? details : undefined);
    const total = counted === undefined ? (share === undefined ? undefined : 1) : counted.total;
    const params = {
      progressToken,
      progress,
      ...defined({ total, _meta: counted?.meta }),
      ...(text !== undefined && { message: redactor.text(text.slice(0, MAX_MESSAGE)) }),
    };
    outlet.told(ctx, params);
    void ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** How far a tool has come by its own count, where it tells it: with the whole, or without one. */
function countIn(details: unknown) {
  if (!isRecord(details) || !Number.isFinite(details.progress)) return undefined;
  const { progress, total, meta } = details as { progress: number; total?: unknown; meta?: unknown };
  return {
    progress,
    total: typeof total === "number" && Number.isFinite(total) ? total : undefined,
    meta: isRecord(meta) ? (redactor.value(meta) as Record<string, unknown>) : undefined,
  };
}

/** Between shares of a whole, a little on; else one more. */
function countOn(last: number): number {
  return last > 0 && last < 1 ? last + (1 - last) / 1_000 : Math.floor(last) + 1;
}

const LEVEL = { debug: "debug", info: "info", warn: "warning", error: "error" } as const;

/**
 * Logs are for those who run the tools: a client gets those that it has asked for, without secrets. One that does not read them gets those that
 * come while it is behind as a number.
 */
class Logs {
  readonly #ctx: CallContext;
  readonly #outlet: Outlet;
  readonly #least: number;
  #missing = 0;

  constructor(ctx: CallContext, outlet: Outlet, least: LoggingLevel) {
    this.#ctx = ctx;
    this.#outlet = outlet;
    this.#least = SEVERITY.indexOf(least);
  }

  readonly tell = (given: LogLevel, message: string, data: unknown): void => {
    const log = logIn(data);
    const level = log?.level ?? LEVEL[given];
    if (SEVERITY.indexOf(level) < this.#least) return;
    if (this.#outlet.isBehind(this.#ctx)) {
      this.#missing += 1;
      return;
    }
    this.tellMissing();
    if (log !== undefined) {
      const { logger, meta: _meta } = log;
      this.#notify(level, redactor.value(log.data), redactor.value(defined({ logger, _meta })) as object);
      return;
    }
    const told = redactor.text(message);
    this.#notify(level, data === undefined ? told : { message: told, data: redactor.value(data) });
  };

  tellMissing(): void {
    if (this.#missing === 0) return;
    const data = `${this.#missing} messages are missing here: they came faster than they were read.`;
    this.#missing = 0;
    this.#notify("warning", data);
  }

  #notify(level: LoggingLevel, data: unknown, more: object = {}): void {
    const params = { level, data, ...more };
    this.#outlet.told(this.#ctx, params);
    void this.#ctx.mcpReq.notify({ method: "notifications/message", params }).catch(() => {});
  }
}
