import { coerce } from "@toolrig/core";
import { expect, test } from "vitest";
import { CONFIG_SCHEMA, checkConfig, defaultWorkerConfig, type WorkerConfig } from "./config.ts";

/** Every setting that there is. */
const EVERYTHING: Required<WorkerConfig> = {
  allowed_tools: ["search"],
  timeout: "10s",
  stream_name: "AGENT",
  consumer_name_suffix: "x",
  delete_consumer_on_stop: true,
  concurrency: 4,
  priorities: true,
  tools: {
    search: {
      timeout: 500,
      concurrency: 2,
      rate: { limit: 5, per: "1s", wait: "2s" },
      retry: { attempts: 2, backoff: "10ms", maxBackoff: "1s", timeouts: true },
    },
  },
  breaker_failures: 0,
  breaker_cooldown: "1m",
  max_attempts: 2,
  overrun: "1m",
  ports: { inputs: [{ name: "in", subject: "a.b.>", type: "t", description: "d" }], outputs: [] },
};

const fits = (config: unknown) => coerce(config, CONFIG_SCHEMA).issues;

test("the schema takes what the worker takes", () => {
  expect(fits(EVERYTHING)).toEqual([]);
  expect(() => checkConfig(EVERYTHING)).not.toThrow();
  expect(fits(defaultWorkerConfig())).toEqual([]);
});

/** The same configuration with a setting at each level that does not exist. */
function misspelt(value: unknown): unknown[] {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, each]) =>
    misspelt(each).map((other) => ({ ...value, [key]: other })),
  );
  return [{ ...value, mispelt: 1 }, ...inside];
}

test("neither takes a setting that does not exist, at any level", () => {
  const all = misspelt(EVERYTHING);
  expect(all.length).toBe(6);
  for (const config of all) {
    expect(fits(config), JSON.stringify(config)).not.toEqual([]);
    expect(() => checkConfig(config as WorkerConfig), JSON.stringify(config)).toThrow();
  }
});
