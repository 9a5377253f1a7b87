import { wallTime } from "../../clock.ts";
import { defined } from "../../defined.ts";
import { type EndedWait, hasEnded, type Wait, waitId } from "../../stores/waits.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Services } from "../services.ts";
import { completionOf } from "./completion.ts";
import { endWait } from "./end-wait.ts";
import { finish } from "./finish.ts";
import { LEASE_MS, type Lease } from "./keeper.ts";
import { proceed } from "./left-call.ts";
import { type ParkedCall, toolOf } from "./parked-call.ts";
import { askTool, tellTool } from "./tell-tool.ts";

/** What has to be done with a wait that is due. */
export async function lookAfter(
  services: Services,
  pipeline: Pipeline,
  wait: Wait,
  lease: Lease,
): Promise<void> {
  if (hasEnded(wait)) return seeEnd(services, pipeline, wait, lease);
  const now = wallTime(services.clock);
  if (wait.expiresAt !== undefined && now >= wait.expiresAt) return expire(services, pipeline, wait);
  if (wait.kind === "background") return loseBackground(services, pipeline, wait, lease);
  if (wait.kind !== "deferred" && wait.kind !== "external")
    return later(services, wait, lease, wait.expiresAt);
  await check(services, pipeline, wait, lease);
}

/** Whoever holds the call goes on with it; else it is seen through here. */
export async function seeEnd(
  services: Services,
  pipeline: Pipeline,
  wait: EndedWait,
  lease: Lease = { at: wait.nextAt ?? 0 },
): Promise<void> {
  if (services.watch.tell(wait)) return;
  const isAnswer = wait.kind === "approval" || wait.kind === "question";
  if (wait.kind === "question") await checkSoon(services, wait.executionId);
  const settled = isAnswer || (await finish(services, pipeline, wait)) !== undefined;
  const done = settled && (await proceed(services, pipeline, wait));
  if (!done) await later(services, wait, lease, wallTime(services.clock) + NO_TOOL_MS);
}

/** A call that asked while it waited for its result is looked at now that it has an answer. */
async function checkSoon(services: Services, executionId: string): Promise<void> {
  const now = wallTime(services.clock);
  const revised = await services.waits.revise(waitId(executionId, "result"), (wait) =>
    wait.end === undefined && (wait.nextAt ?? now) > now ? { ...wait, nextAt: now } : undefined,
  );
  if (revised) services.keeper.wake(now);
}

/** So many checks of one tool are under way at once: one that hangs keeps those of others from nothing. */
const CHECKS_AT_ONCE = 8;
const BUSY_MS = 500;
const checking = new Map<string, number>();

/** There is no such tool here; it is looked for again, here and elsewhere. */
const NO_TOOL_MS = 30_000;

async function expire(services: Services, pipeline: Pipeline, wait: Wait): Promise<void> {
  const decision = { decision: "expired", at: wallTime(services.clock) };
  const ended = await endWait(services, wait, "expired", {
    ...(wait.kind === "approval" && { body: decision }),
  });
  if (ended.won) await tellTool(services, wait);
  await seeEnd(services, pipeline, ended.wait);
}

/**
 * Its own process would have moved the time at which it is due, unless that stood still or has another time than this one. A ledger that
 * knows which processes are alive decides.
 */
async function loseBackground(
  services: Services,
  pipeline: Pipeline,
  wait: Wait,
  lease: Lease,
): Promise<void> {
  const known = await services.ledger.get?.(wait.executionId);
  if (known?.running === true) return later(services, wait, lease, wallTime(services.clock) + LEASE_MS);
  const ended = await endWait(services, wait, "lost");
  await seeEnd(services, pipeline, ended.wait);
}

async function check(services: Services, pipeline: Pipeline, wait: Wait, lease: Lease): Promise<void> {
  const parked = wait.body as ParkedCall;
  const tool = toolOf(services, parked);
  if (tool === undefined) return later(services, wait, lease, wallTime(services.clock) + NO_TOOL_MS);
  if (tool.check === undefined) return later(services, wait, lease, wait.expiresAt);
  const under = checking.get(tool.name) ?? 0;
  if (under >= CHECKS_AT_ONCE) return later(services, wait, lease, wallTime(services.clock) + BUSY_MS);
  checking.set(tool.name, under + 1);
  const found = await askTool(services, wait, tool, "check", pipeline).finally(() =>
    checking.set(tool.name, (checking.get(tool.name) ?? 1) - 1),
  );
  const completion = found?.value === undefined ? undefined : completionOf(found.value);
  if (completion === undefined) return checkLater(services, wait, lease, tool);
  const ended = await endWait(services, wait, "completed", { body: completion });
  await seeEnd(services, pipeline, ended.wait);
}

/** Each interval is half as long again as the one before, give or take a tenth. */
function checkLater(
  services: Services,
  wait: Wait,
  lease: Lease,
  { wait: { everyMs, maxEveryMs } }: AnyTool,
): Promise<void> {
  const parked = wait.body as ParkedCall;
  const checks = parked.checks + 1;
  const intervalMs = Math.min(maxEveryMs, everyMs * 1.5 ** checks);
  const at = wallTime(services.clock) + intervalMs * (0.9 + Math.random() * 0.2);
  return later(services, wait, lease, at, { ...parked, checks });
}

/** Due again at another time, and no later than it expires. */
async function later(
  services: Services,
  wait: Wait,
  lease: Lease,
  at: number | undefined,
  body = wait.body,
): Promise<void> {
  const nextAt = at === undefined ? wait.expiresAt : Math.min(at, wait.expiresAt ?? at);
  await services.waits.revise(wait.id, ({ nextAt: seen, ...now }) => {
    if (seen !== lease.at) return undefined;
    return { ...now, body: now.end === undefined ? body : now.body, ...defined({ nextAt }) };
  });
  services.keeper.wake(nextAt);
}
