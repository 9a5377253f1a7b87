import { Registry, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { withLimits } from "./limited-source.ts";

test("every part of a retry in the configuration counts, not only attempts and backoff", () => {
  const ping = tool({
    name: "ping",
    description: "Answer",
    input: { type: "object" },
    execute: () => "pong",
  });
  const retry = { attempts: 5, backoff: "1s", maxBackoff: "2s", timeouts: true } as const;
  expect(withLimits(new Registry([ping]), { ping: { retry } }).get("ping")?.retry).toEqual({
    attempts: 5,
    backoffMs: 1_000,
    maxBackoffMs: 2_000,
    timeouts: true,
  });
});
