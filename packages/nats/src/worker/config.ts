import { type Duration, parseDuration, ToolrigError } from "@toolrig/core";

/** A place where messages come in or go out. */
export interface Port {
  name: string;
  subject: string;
  type?: string;
  description?: string;
}

/** The plain part of a worker's configuration, in the field names that configuration files use. */
export interface WorkerConfig {
  /** Tools that may run here. Empty or absent: all. */
  allowed_tools?: string[];
  /** Limit of one attempt. Default "60s". */
  timeout?: Duration;
  /** Default "AGENT". */
  stream_name?: string;
  /** Appended to consumer names, so that several fleets can share a stream. */
  consumer_name_suffix?: string;
  /** Default false: consumers are durable and keep what waits. */
  delete_consumer_on_stop?: boolean;
  /** Calls this worker runs at once, of each tool. Default 16. */
  concurrency?: number;
  /** Starts of an idempotent call whose workers were lost, before it is put aside. Default 5. */
  max_attempts?: number;
  ports?: { inputs?: Port[]; outputs?: Port[] };
}

export const CONFIG_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    allowed_tools: {
      type: "array",
      items: { type: "string" },
      description: "List of allowed tools (empty allows all)",
    },
    timeout: { type: ["string", "number"], default: "60s", description: "Tool execution timeout" },
    stream_name: { type: "string", default: "AGENT", description: "JetStream stream that calls wait in" },
    consumer_name_suffix: { type: "string", description: "Appended to consumer names" },
    delete_consumer_on_stop: { type: "boolean", default: false },
    concurrency: { type: "integer", minimum: 1, default: 16 },
    max_attempts: { type: "integer", minimum: 1, default: 5 },
    ports: {
      type: "object",
      properties: {
        inputs: { type: "array", items: { $ref: "#/$defs/port" } },
        outputs: { type: "array", items: { $ref: "#/$defs/port" } },
      },
    },
  },
  $defs: {
    port: {
      type: "object",
      required: ["name", "subject"],
      properties: { name: { type: "string" }, subject: { type: "string" } },
    },
  },
} as const;

/** Throws `OPTION_INVALID`, naming the field, for a configuration that could not work. */
export function checkConfig(
  config: WorkerConfig,
): Required<Omit<WorkerConfig, "ports" | "allowed_tools">> & WorkerConfig {
  const known = Object.keys(CONFIG_SCHEMA.properties);
  const unknown = Object.keys(config).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new ToolrigError(
      "OPTION_INVALID",
      `A worker has no setting "${unknown}". There is: ${known.join(", ")}.`,
    );
  }
  const {
    timeout = "60s",
    stream_name = "AGENT",
    consumer_name_suffix = "",
    delete_consumer_on_stop = false,
  } = config;
  const { concurrency = 16, max_attempts = 5 } = config;
  parseDuration(timeout, "timeout");
  for (const [field, value] of Object.entries({ concurrency, max_attempts })) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw new ToolrigError(
      "OPTION_INVALID",
      `${field} must be a whole number of at least 1; got ${String(value)}.`,
    );
  }
  return {
    ...config,
    timeout,
    stream_name,
    consumer_name_suffix,
    delete_consumer_on_stop,
    concurrency,
    max_attempts,
  };
}
