import type { JsonMember } from "./read-json.ts";

/** Members with which a log says when a call was made, by whom, as part of what, and what came of it. */
const KEYS = new Set([
  ...[
    "ts",
    "time",
    "timestamp",
    "@timestamp",
    "date",
    "datetime",
    "at",
    "created_at",
    "started_at",
    "ended_at",
  ],
  ...["level", "severity", "logger", "event", "msg", "log", "seq", "line", "pid", "host", "ip"],
  ...["user", "actor", "caller", "principal", "agent", "by", "source", "approved", "approved_by", "denied"],
  ...["result", "results", "output", "response", "outcome", "error", "errors", "exit_code", "ok", "success"],
  ...[
    "duration",
    "duration_ms",
    "latency",
    "latency_ms",
    "elapsed",
    "elapsed_ms",
    "took",
    "took_ms",
    "attempts",
  ],
  ...["run_id", "trace_id", "span_id", "request_id", "session_id", "execution_id"],
]);

/** The names of the same things in other spellings: `durationMs`, `request-id`. */
function plain(key: string): string {
  return key
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

/** Whether an object that may be a call is a record of one: it has members that nobody gives who makes a call. */
export function isLogRecord(members: readonly JsonMember[]): boolean {
  const keys = members.map((member) => plain(member.key));
  if (keys.some((key) => KEYS.has(key))) return true;
  // Providers put a status into their own items; models that echo one say of which type it is.
  return keys.includes("status") && !keys.includes("type");
}
