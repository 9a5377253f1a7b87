import type { CallLine, FeedMessage } from "@toolrig/server/wire";
import type { FixtureServer } from "../../apps/console/test/fixture/server.ts";

/** As the server tells it: at most ten messages a second, each with all that changed. */
const EVERY_MS = 100;
const TOOLS = ["search_docs", "fetch_url", "read_file", "write_file", "query_database"];

/**
 * Tells of so many calls a second for so long. Every tenth begins in one message and ends in the next; the others ended within
 * one. Answers how many calls ended. What the clock is late by is made up for.
 */
export async function flood(server: FixtureServer, perSecond: number, seconds: number): Promise<number> {
  const perMessage = (perSecond * EVERY_MS) / 1_000;
  const begun = performance.now();
  let open: CallLine[] = [];
  let ended = 0;
  for (let message = 0; message < (seconds * 1_000) / EVERY_MS; message++) {
    const ends = open.map((line) => over(line));
    const calls = Array.from({ length: perMessage }, (_, index) => lineOf(message * perMessage + index));
    open = calls.filter((line) => line.state === "running");
    ended += ends.length + calls.length - open.length;
    tell(server, { calls: [...ends, ...calls], runs: [] });
    const due = begun + (message + 1) * EVERY_MS - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due)));
  }
  tell(server, { calls: open.map((line) => over(line)), runs: [] });
  return ended + open.length;
}

function tell(server: FixtureServer, message: FeedMessage): void {
  server.tell(JSON.stringify(message));
}

function lineOf(number: number): CallLine {
  const startedAt = Date.now();
  const line: CallLine = {
    executionId: `exec_a305322c35eabb1974ba.${number.toString(16).padStart(8, "0")}`,
    revision: 1,
    callId: `call_${number}`,
    name: TOOLS[number % TOOLS.length] ?? "search_docs",
    runId: `run_${number % 64}`,
    source: "model",
    gist: `{"query":"number ${number} of a flood of calls","limit":5,"path":"docs/records.md"}`,
    state: "running",
    startedAt,
  };
  return number % 10 === 0 ? line : over(line);
}

function over(line: CallLine): CallLine {
  const fails = Number.parseInt(line.executionId.slice(-8), 16) % 50 === 1;
  const endedAt = Date.now();
  return {
    ...line,
    revision: line.revision + 1,
    state: fails ? "failed" : "ok",
    endedAt,
    durationMs: endedAt - line.startedAt,
    ...(fails && {
      failure: {
        kind: "transient" as const,
        code: "TOOL_TRANSIENT",
        message: "HTTP 503 from db.example.com",
        blame: "world" as const,
      },
    }),
  };
}
