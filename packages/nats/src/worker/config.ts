import type { AnyTool, Duration, JsonSchema, Rate, Retry } from "@toolrig/core";
import { check, defined, parseDuration, settingsOf } from "@toolrig/core/kit";
import { checkName } from "../fleet/setup.ts";
import { SUBJECT } from "../wire/names.ts";

/** A place where messages come in or go out. */
export interface Port {
  name: string;
  subject: string;
  type?: string;
  description?: string;
}

/** The plain part of a worker's configuration, in the field names that configuration files use. */
export interface WorkerConfig {
  /** Tools that may run here. Empty, null or absent: all. */
  allowed_tools?: string[] | null;
  /** Limit of one attempt. Default "60s". */
  timeout?: Duration;
  /** Default "AGENT". */
  stream_name?: string;
  /** Appended to consumer names. The same for all workers of a tool: a call has one queue. */
  consumer_name_suffix?: string;
  /** Default false: consumers are durable and keep what waits. */
  delete_consumer_on_stop?: boolean;
  /** Calls this worker runs at once, of each tool. Default 16. */
  concurrency?: number;
  /** Whether calls of high and low priority have queues of their own here. Costs two consumers a tool. Default false. */
  priorities?: boolean;
  /** Limits of single tools, over what the tools declare themselves. */
  tools?: Record<string, ToolLimits>;
  /** Fatal failures of a tool in a row after which this worker leaves its calls to others for a while. 0: never. Default 5. */
  breaker_failures?: number;
  /** Default "30s". */
  breaker_cooldown?: Duration;
  /**
   * How long the place of a call is kept whose code goes on after the caller was told of its timeout or cancellation. Default
   * "1m".
   */
  overrun?: Duration;
  /** Starts of an idempotent call whose workers were lost, before it is put aside. Default 5. */
  max_attempts?: number;
  /**
   * Further subjects that calls come in on (`my.calls.>`) and that plain results go out on (`my.results.*`), beside the
   * fleet's own.
   */
  ports?: { inputs?: Port[] | null; outputs?: Port[] | null } | null;
}

/** `concurrency` and `rate` hold across the whole fleet. */
export interface ToolLimits {
  timeout?: Duration;
  concurrency?: number;
  rate?: Rate;
  retry?: Retry;
}

/** A schema for each setting: one that is added and not described does not compile. */
type Described<Settings> = { readonly [Setting in keyof Required<Settings>]: JsonSchema };

const DURATION = { type: ["string", "number"] } as const;

export const CONFIG_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    allowed_tools: {
      type: ["array", "null"],
      items: { type: "string" },
      description: "List of allowed tools (empty allows all)",
    },
    timeout: { type: ["string", "number"], default: "60s", description: "Tool execution timeout" },
    stream_name: { type: "string", default: "AGENT", description: "JetStream stream that calls wait in" },
    consumer_name_suffix: { type: "string", description: "Appended to consumer names" },
    delete_consumer_on_stop: { type: "boolean", default: false },
    concurrency: { type: "integer", minimum: 1, default: 16 },
    max_attempts: { type: "integer", minimum: 1, default: 5 },
    overrun: { type: ["string", "number"], default: "1m" },
    priorities: { type: "boolean", default: false },
    breaker_failures: { type: "integer", minimum: 0, default: 5 },
    breaker_cooldown: { type: ["string", "number"], default: "30s" },
    tools: {
      type: "object",
      description: "Limits of single tools",
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        properties: {
          timeout: DURATION,
          concurrency: { type: "integer", minimum: 1 },
          rate: {
            type: "object",
            required: ["limit", "per"],
            additionalProperties: false,
            properties: {
              limit: { type: "integer", minimum: 1 },
              per: DURATION,
              wait: { ...DURATION, description: "How long a call may wait for its turn" },
            } satisfies Described<Rate>,
          },
          retry: {
            type: "object",
            additionalProperties: false,
            properties: {
              attempts: { type: "integer", minimum: 1 },
              backoff: { ...DURATION, description: "Before the second attempt; it doubles with each" },
              maxBackoff: { ...DURATION, description: "No wait is longer" },
              timeouts: {
                type: "boolean",
                description: "Whether an attempt that took too long is followed by another",
              },
            } satisfies Described<Retry>,
          },
        } satisfies Described<ToolLimits>,
      },
    },
    ports: {
      type: ["object", "null"],
      additionalProperties: false,
      properties: {
        inputs: { type: ["array", "null"], items: { $ref: "#/$defs/port" } },
        outputs: { type: ["array", "null"], items: { $ref: "#/$defs/port" } },
      } satisfies Described<NonNullable<WorkerConfig["ports"]>>,
    },
  } satisfies Described<WorkerConfig>,
  $defs: {
    port: {
      type: "object",
      required: ["name", "subject"],
      properties: {
        name: { type: "string" },
        subject: { type: "string" },
        type: { type: "string" },
        description: { type: "string" },
      } satisfies Described<Port>,
    },
  },
} as const;

/** Tokens that need no escape, and no wildcards. The fleet's own subjects are not for ports. */
const PREFIX = /^(?!tool(?:\.|$)|\$)[\w-]+(?:\.[\w-]+)*$/;
const LIMITS = settingsOf<ToolLimits>({ timeout: true, concurrency: true, rate: true, retry: true });
const RATE = settingsOf<Rate>({ limit: true, per: true, wait: true });
const RETRY = settingsOf<Retry>({ attempts: true, backoff: true, maxBackoff: true, timeouts: true });
const PORTS = settingsOf<NonNullable<WorkerConfig["ports"]>>({ inputs: true, outputs: true });

export type CheckedConfig = Required<Omit<WorkerConfig, "ports" | "allowed_tools">> & {
  allowed_tools?: string[];
  ports?: { inputs?: Port[]; outputs?: Port[] };
  breakerCooldownMs: number;
  overrunMs: number;
  /** The subjects of further ports, without their wildcards. */
  inputPrefixes: string[];
  outputPrefixes: string[];
};

/** The configuration of a worker that is given none, with every default filled in. */
export function defaultWorkerConfig(): WorkerConfig {
  const {
    breakerCooldownMs: _,
    overrunMs: __,
    inputPrefixes: ___,
    outputPrefixes: ____,
    ...config
  } = checkConfig({});
  return config;
}

/**
 * Throws `OPTION_INVALID`, naming the field, for a configuration that could not work. A field that is null counts as absent,
 * as configurations are written by programs that write every field.
 */
export function checkConfig(given: WorkerConfig): CheckedConfig {
  check.object("config", given, "the configuration of a worker");
  const config = withoutNulls(given);
  check.known("A worker", config, Object.keys(CONFIG_SCHEMA.properties));
  const { allowed_tools, concurrency = 16, max_attempts = 5, breaker_failures = 5 } = config;
  const { stream_name, consumer_name_suffix: suffix } = config;
  const { timeout = "60s", breaker_cooldown = "30s", overrun = "1m", tools = {} } = config;
  if (allowed_tools !== undefined && !Array.isArray(allowed_tools))
    throw check.invalid("allowed_tools", "a list of tool names", allowed_tools);
  check.timeout("timeout", timeout);
  if (stream_name !== undefined) checkName("stream_name", stream_name);
  if (suffix !== undefined && typeof suffix !== "string")
    throw check.invalid("consumer_name_suffix", "a string", suffix);
  check.flag("delete_consumer_on_stop", config.delete_consumer_on_stop);
  check.flag("priorities", config.priorities);
  const ports = checkPorts(config.ports);
  check.count("concurrency", concurrency, 1);
  check.count("max_attempts", max_attempts, 1);
  check.count("breaker_failures", breaker_failures, 0);
  check.object("tools", tools, "limits by the names of tools");
  for (const [name, limits] of Object.entries(tools)) checkLimits(`tools.${name}`, limits);
  const { ports: _, allowed_tools: __, ...rest } = config;
  return {
    ...rest,
    ...defined({ allowed_tools }),
    ...ports,
    timeout,
    stream_name: config.stream_name ?? "AGENT",
    consumer_name_suffix: config.consumer_name_suffix ?? "",
    delete_consumer_on_stop: config.delete_consumer_on_stop ?? false,
    priorities: config.priorities ?? false,
    concurrency,
    max_attempts,
    breaker_failures,
    breaker_cooldown,
    overrun,
    overrunMs: parseDuration(overrun, "overrun"),
    breakerCooldownMs: parseDuration(breaker_cooldown, "breaker_cooldown"),
    tools,
  };
}

function checkLimits(path: string, limits: ToolLimits): void {
  check.object(path, limits);
  check.known(path, limits, LIMITS);
  const { timeout, concurrency, rate, retry } = limits;
  check.timeout(`${path}.timeout`, timeout);
  if (concurrency !== undefined) check.count(`${path}.concurrency`, concurrency, 1);
  if (rate !== undefined) {
    check.known(`${path}.rate`, rate, RATE);
    if (rate.limit === undefined || rate.per === undefined)
      throw check.invalid(`${path}.rate`, "{ limit, per }", rate);
    check.count(`${path}.rate.limit`, rate.limit, 1);
    check.timeout(`${path}.rate.per`, rate.per);
    if (rate.wait !== undefined) parseDuration(rate.wait, `${path}.rate.wait`);
  }
  if (retry === undefined) return;
  check.known(`${path}.retry`, retry, RETRY);
  check.count(`${path}.retry.attempts`, retry.attempts, 1);
  check.flag(`${path}.retry.timeouts`, retry.timeouts);
  for (const field of ["backoff", "maxBackoff"] as const) {
    const value = retry[field];
    if (value !== undefined) parseDuration(value, `${path}.retry.${field}`);
  }
}

function checkPorts(
  given: WorkerConfig["ports"],
): Pick<CheckedConfig, "ports" | "inputPrefixes" | "outputPrefixes"> {
  if (given === undefined || given === null) return { inputPrefixes: [], outputPrefixes: [] };
  check.known("ports", given, PORTS);
  const { inputs, outputs } = withoutNulls(given);
  const prefixesOf = (side: string, ports: readonly Port[] | undefined, end: string, own: string) => {
    if (ports === undefined) return [];
    check.list(`ports.${side}`, ports, "a list of ports");
    return ports.flatMap((port, index) => {
      const subject: unknown = port?.subject;
      if (subject === `${own}${end}`) return [];
      if (
        typeof subject !== "string" ||
        !subject.endsWith(end) ||
        !PREFIX.test(subject.slice(0, -end.length))
      )
        throw check.invalid(
          `ports.${side}[${index}].subject`,
          `a subject such as "my.${side}${end}"`,
          subject,
        );
      return [subject.slice(0, -end.length)];
    });
  };
  return {
    ports: { ...defined({ inputs, outputs }) },
    inputPrefixes: prefixesOf("inputs", inputs, ".>", SUBJECT.execute),
    outputPrefixes: prefixesOf("outputs", outputs, ".*", SUBJECT.result),
  };
}

/** An object without the fields that are null. */
function withoutNulls<T extends object>(given: T): { [Key in keyof T]: Exclude<T[Key], null> } {
  const kept = Object.entries(given).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as { [Key in keyof T]: Exclude<T[Key], null> };
}

/** How many calls of a tool a worker runs at once. */
export function slotsOf({ concurrency }: AnyTool, config: CheckedConfig): number {
  return Math.min(config.concurrency, concurrency ?? config.concurrency);
}
