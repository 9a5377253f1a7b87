import type { AnyTool, Duration, JsonSchema, Rate, Retry } from "@toolrig/core";
import {
  check,
  declareOptions,
  defined,
  isRecord,
  type OptionTable,
  option,
  parseDuration,
  rateOptions,
  retryOptions,
} from "@toolrig/core/kit";
import { nameOption } from "../fleet/setup.ts";
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

const toolLimits = declareOptions("the limits of a tool", {
  timeout: option.duration(),
  concurrency: option.count(),
  rate: option.group(rateOptions),
  retry: option.group(retryOptions),
} satisfies OptionTable<ToolLimits>);

const portsOptions = declareOptions("ports", {
  inputs: option.listOf("a list of ports", option.object("a port")),
  outputs: option.listOf("a list of ports", option.object("a port")),
} satisfies OptionTable<WithoutNulls<NonNullable<WorkerConfig["ports"]>>>);

/** Every field may also be null, which counts as absent: configurations are written by programs that write every field. */
const workerConfig = declareOptions("the configuration of a worker", {
  allowed_tools: option.that("a list of tool names", Array.isArray),
  timeout: option.duration({ default: "60s" }),
  stream_name: nameOption("AGENT"),
  consumer_name_suffix: option.anyText({ default: "" }),
  delete_consumer_on_stop: option.flag({ default: false }),
  concurrency: option.count(1, { default: 16 }),
  priorities: option.flag({ default: false }),
  tools: option.recordOf("limits by the names of tools", option.group(toolLimits)),
  breaker_failures: option.count(0, { default: 5 }),
  breaker_cooldown: option.duration({ default: "30s", zero: true, long: true }),
  overrun: option.duration({ default: "1m", zero: true, long: true }),
  max_attempts: option.count(1, { default: 5 }),
  ports: option.checked("{ inputs, outputs }", (field, value, checks) =>
    portsOptions.check(isRecord(value) ? withoutNulls(value) : value, field, checks),
  ),
} satisfies OptionTable<WithoutNulls<WorkerConfig>>);

const { defaults } = workerConfig;

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
    timeout: { type: ["string", "number"], default: defaults.timeout, description: "Tool execution timeout" },
    stream_name: {
      type: "string",
      default: defaults.stream_name,
      description: "JetStream stream that calls wait in",
    },
    consumer_name_suffix: { type: "string", description: "Appended to consumer names" },
    delete_consumer_on_stop: { type: "boolean", default: defaults.delete_consumer_on_stop },
    concurrency: { type: "integer", minimum: 1, default: defaults.concurrency },
    max_attempts: { type: "integer", minimum: 1, default: defaults.max_attempts },
    overrun: { type: ["string", "number"], default: defaults.overrun },
    priorities: { type: "boolean", default: defaults.priorities },
    breaker_failures: { type: "integer", minimum: 0, default: defaults.breaker_failures },
    breaker_cooldown: { type: ["string", "number"], default: defaults.breaker_cooldown },
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
  const config = workerConfig.withDefaults(withoutNulls(given));
  const { ports: _, allowed_tools, tools = {}, overrun, breaker_cooldown, ...rest } = config;
  return {
    ...rest,
    ...defined({ allowed_tools }),
    ...checkPorts(config.ports),
    tools,
    overrun,
    breaker_cooldown,
    overrunMs: parseDuration(overrun, "overrun"),
    breakerCooldownMs: parseDuration(breaker_cooldown, "breaker_cooldown"),
  };
}

function checkPorts(
  given: WorkerConfig["ports"],
): Pick<CheckedConfig, "ports" | "inputPrefixes" | "outputPrefixes"> {
  if (given === undefined || given === null) return { inputPrefixes: [], outputPrefixes: [] };
  const { inputs, outputs } = withoutNulls(given);
  const prefixesOf = (side: string, ports: readonly Port[] | undefined, end: string, own: string) => {
    if (ports === undefined) return [];
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

type WithoutNulls<T> = { [Key in keyof T]: Exclude<T[Key], null> };

/** An object without the fields that are null. */
function withoutNulls<T extends object>(given: T): WithoutNulls<T> {
  const kept = Object.entries(given).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as WithoutNulls<T>;
}

/** How many calls of a tool a worker runs at once. */
export function slotsOf({ concurrency }: AnyTool, config: CheckedConfig): number {
  return Math.min(config.concurrency, concurrency ?? config.concurrency);
}
