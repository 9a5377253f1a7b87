import { realpathSync, statSync } from "node:fs";
import type { DataLabels, Duration } from "@toolrig/core";
import {
  check,
  declareOptions,
  type EnvironmentOptions,
  type OptionTable,
  option,
  parseDuration,
} from "@toolrig/core/kit";
import type { SandboxMode } from "./isolation.ts";
import { type LimitOptions, type Limits, limitOptions } from "./limits.ts";

/** How commands are run: where, with what, and what they may use. */
export interface ProcessOptions {
  /** The directory, or several, in which commands start. In a sandbox the only ones that they may write to. */
  root: string | readonly string[];
  /**
   * Whether commands run in bubblewrap: "auto" where it works, "required" or not at all, "off". Default "auto"; what was
   * achieved is in the details of each result and in `isolation()`.
   */
  sandbox?: SandboxMode;
  /** Whether commands in a sandbox reach the network. Default false. Without a sandbox they always do. */
  network?: boolean;
  /** What commands in a sandbox may read although it lies in a home or in /tmp, /run. Default: the installation of Node. */
  visible?: readonly string[];
  /**
   * Patterns of what commands in a sandbox do not change, such as ".git/**", where it lies directly in a root and is there when a
   * command starts. Default: none; in `toolkit()` that of the kit.
   */
  protect?: readonly string[];
  /** What commands see of the environment beyond `PATH`, `HOME`, the language and the time zone. */
  env?: EnvironmentOptions;
  limits?: LimitOptions;
  /** How long a command runs unless the call says otherwise. Default: the executor's `timeout` where it has one, else "2m". */
  timeout?: Duration;
  /** The most that a call may ask for. Default "10m". */
  maxTimeout?: Duration;
  /** What a command has between SIGTERM and SIGKILL. Default "2s". */
  grace?: Duration;
  /** Bytes kept of each of standard output and standard error: half of the head, half of the tail. Default 1,000,000. */
  maxOutput?: number;
  /**
   * A command that takes longer goes on in the background, for callers who do not hold the call: loops that continue, and
   * `onWaiting: "return"`. Default: none does.
   */
  background?: Duration;
  /** How many background processes may run at once. Default 20. */
  maxBackground?: number;
  /** What the output of commands is. Default: untrusted and private, as what is in files: they show it. */
  labels?: DataLabels;
}

const processOptions = declareOptions("Processes", {
  root: option.anything("a directory or several", { required: true }),
  sandbox: option.oneOf(["auto", "required", "off"], { default: "auto" }),
  network: option.flag({ default: false }),
  visible: option.strings("a list of directories"),
  protect: option.strings('a list of patterns such as ".git/**"'),
  env: option.group(
    declareOptions("env", {
      allow: option.strings("a list of names of variables"),
      set: option.recordOf("an object of variables", option.anyText()),
    } satisfies OptionTable<EnvironmentOptions>),
  ),
  limits: option.group(limitOptions),
  timeout: option.duration(),
  maxTimeout: option.duration({ default: "10m" }),
  grace: option.duration({ default: "2s", zero: true }),
  maxOutput: option.count(1_000, { default: 1_000_000 }),
  background: option.duration(),
  maxBackground: option.count(1, { default: 20 }),
  labels: option.object("labels of data"),
} satisfies OptionTable<ProcessOptions>);

const COMMAND_LABELS: DataLabels = {
  integrity: "untrusted",
  confidentiality: "private",
  source: "command",
};

/** Options that have been checked, with their defaults. */
export interface ProcessSettings {
  roots: readonly string[];
  sandbox: SandboxMode;
  network: boolean;
  visible: readonly string[];
  protect: readonly string[];
  env: EnvironmentOptions;
  limits: Limits;
  timeoutMs: number;
  /** The same where the option was given. */
  givenTimeoutMs: number | undefined;
  maxTimeoutMs: number;
  graceMs: number;
  maxOutput: number;
  background: number | undefined;
  maxBackground: number;
  labels: DataLabels;
}

/** How long a command may run: what the call asks for, else the option, else the executor's own limit, else the default. */
export function limitOf(
  { givenTimeoutMs, timeoutMs, maxTimeoutMs }: ProcessSettings,
  askedMs: number | undefined,
  context: { readonly timeoutMs: number | undefined },
): number {
  return Math.min(askedMs ?? givenTimeoutMs ?? context.timeoutMs ?? timeoutMs, maxTimeoutMs);
}

export function checkProcessOptions(options: ProcessOptions): ProcessSettings {
  const given = processOptions.withDefaults(options);
  const { sandbox, network, visible = [], protect = [], env = {}, maxOutput, maxBackground } = given;
  const maxTimeoutMs = parseDuration(given.maxTimeout, "maxTimeout");
  const timeoutMs = parseDuration(given.timeout ?? Math.min(120_000, maxTimeoutMs), "timeout");
  if (timeoutMs > maxTimeoutMs) throw check.invalid("timeout", "at most maxTimeout", given.timeout);
  return {
    roots: rootsOf(given.root),
    sandbox,
    network,
    visible: visible.map(realFolder("visible")),
    protect: [...protect],
    env: { allow: [...(env.allow ?? [])], set: { ...env.set } },
    limits: limitOptions.withDefaults(given.limits ?? {}),
    timeoutMs,
    givenTimeoutMs: given.timeout === undefined ? undefined : timeoutMs,
    maxTimeoutMs,
    graceMs: parseDuration(given.grace, "grace"),
    maxOutput,
    background: given.background === undefined ? undefined : parseDuration(given.background, "background"),
    maxBackground,
    labels: given.labels ?? COMMAND_LABELS,
  };
}

function rootsOf(root: string | readonly string[]): string[] {
  const roots = typeof root === "string" ? [root] : check.strings("root", root, "a directory or several");
  if (roots.length === 0) throw check.invalid("root", "a directory or several", root);
  return roots.map(realFolder("root"));
}

function realFolder(field: string): (path: string) => string {
  return (path) => {
    try {
      const real = realpathSync(path);
      if (statSync(real).isDirectory()) return real;
    } catch {
      // Said below: it is not there or cannot be reached.
    }
    throw check.invalid(field, "a directory that exists", path);
  };
}
