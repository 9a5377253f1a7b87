import type { Engine } from "@toolrig/agent";
import {
  ApprovalQueue,
  checkPolicy,
  combineSources,
  type ExecutorOptions,
  type Guard,
  InformationFlow,
  type Policy,
  policyGuard,
  type Reconciliation,
  Redactor,
  Registry,
  reconcileOpen,
  type ToolSource,
  withCapabilities,
} from "@toolrig/core";
import {
  type CallStore,
  compileAllowlist,
  type DescriptionStore,
  declareOptions,
  defined,
  executorOptions,
  globalTools,
  isToolSource,
  type OptionTable,
  omitOptions,
  option,
  type RigWith,
  withDescriptions,
  wrapSource,
} from "@toolrig/core/kit";
import type { McpOptions } from "@toolrig/mcp";
import type { DynamicToolsOptions, RunCodeOptions } from "@toolrig/sandbox";
import { openStore, type Store } from "@toolrig/store";
import { type Telemetry, type TelemetryOptions, telemetry } from "@toolrig/telemetry";
import { ledgerAfter } from "./ledger-after.ts";

const STORE = 'a path such as "toolrig.db", a store opened by openStore, or an object with a store method';

export interface RigOptions extends Omit<ExecutorOptions, "store" | "tracer"> {
  /**
   * The path of a store ("toolrig.db"; made when there is none) or an opened one: ledger, records, artifacts, journal,
   * waits and approvals are kept there. Anything else that takes records gets the records only.
   */
  store?: string | Store | CallStore;
  /** Descriptions that the model is told in the place of those in code. Default: the store's. */
  descriptions?: DescriptionStore;
  /** What may run and what needs approval. Its profile also decides how careful the information-flow guard is. */
  policy?: Policy;
  /**
   * Whether models may make tools of their own, kept in the store's catalog, or how: docs/dynamic-tools.md. Default false.
   */
  dynamicTools?: boolean | DynamicToolsOptions;
  /** Whether there is `run_code`, with which models compose tools in scripts, or how: docs/code-mode.md. Default false. */
  code?: boolean | RunCodeOptions;
  /** The model that runs use unless they name another. */
  engine?: Engine;
  /** The system prompt of runs that have none of their own. */
  system?: string;
  /**
   * MCP servers whose tools are the rig's own: `{ servers: { docs: { command: "docs-mcp" } } }`, and those that were added to the
   * store. Without it, none is connected. Tools come when their server is there; `rig.mcp.ready` waits for all.
   */
  mcp?: McpOptions;
  /**
   * Whether models get `mcp_list`, `mcp_connect` and `mcp_disconnect`. Connecting to a server that is not configured or added
   * needs approval. Default false.
   */
  mcpTools?: boolean;
  /** Whether runs under way are told, as untrusted data, what MCP servers say unasked: docs/mcp-defences.md. Default false. */
  mcpNotifications?: boolean;
  /**
   * Whether runs, responses of models and calls are spans and are counted, or how: docs/observability.md. One that `telemetry()`
   * made can serve several rigs. Default false.
   */
  telemetry?: boolean | TelemetryOptions | Telemetry;
}

export const rigOptions = declareOptions("rig", {
  ...omitOptions(executorOptions, "store", "tracer"),
  store: option.checked(STORE, (field, value, checks) => {
    if (typeof value !== "string" && !isStore(value) && !isCallStore(value))
      throw checks.invalid(field, STORE, value);
  }),
  descriptions: option.part("a store of descriptions", ["get"]),
  policy: option.object("a policy, such as { profile, rules }"),
  dynamicTools: option.flagOr(option.object("options of dynamicTools()")),
  code: option.flagOr(option.object("options of runCode()")),
  engine: option.part("an engine such as aiSdkEngine(model)", ["stream"], {
    aliases: ["model", "llm", "languageModel"],
  }),
  system: option.anyText({ aliases: ["instructions", "systemPrompt", "prompt"] }),
  mcp: option.object('options of connectMcp(), such as { servers: { docs: { command: "docs-mcp" } } }', {
    aliases: ["mcpServers"],
  }),
  mcpTools: option.flag(),
  mcpNotifications: option.flag(),
  telemetry: option.flagOr(option.object("options of telemetry()")),
} satisfies OptionTable<RigOptions>);

/** A rig before it has an executor. */
export interface AssembledParts
  extends RigWith<"registry" | "tools" | "redactor", "approvals" | "flow" | "policy" | "descriptions"> {
  readonly store: Store | undefined;
  /** The outcomes of calls that an earlier process left open. */
  readonly reconciled: Promise<readonly Reconciliation[]>;
  readonly telemetry: Telemetry | undefined;
  readonly executorOptions: ExecutorOptions & { readonly tools: ToolSource };
  /** Closes the store, if it was opened here. */
  close(): Promise<void>;
}

/** Throws `OPTION_INVALID`, `CONFIG_INVALID` or `STORE_FAILED`, naming what is wrong. */
export function assemble(options: RigOptions): AssembledParts {
  rigOptions.check(options);
  const {
    tools: given,
    store: place,
    policy,
    engine: _,
    system: __,
    dynamicTools: ___,
    code: ____,
    mcp: _____,
    mcpTools: ______,
    mcpNotifications: _______,
    telemetry: asked,
    capabilities,
    redact,
    descriptions: kept,
    ...rest
  } = options;
  const listed = given === undefined || isToolSource(given) ? [] : new Registry(given).tools();
  const { guards, flow } = guardsOf(policy, rest.guards ?? []);
  const redactor = redact instanceof Redactor ? redact : new Redactor(redact);
  const tracer = telemetryOf(asked, redactor);
  const store = storeAt(place, redactor);
  const descriptions = kept ?? store?.descriptions;
  const registry =
    given instanceof Registry
      ? given
      : new Registry(listed, descriptions === undefined ? {} : { descriptions });
  const own: ToolSource[] = isToolSource(given) && given !== registry ? [registry, given] : [registry];
  const all = combineSources(...own, globalTools);
  const told = descriptions === undefined ? all : withDescriptions(all, descriptions);
  const known = capabilities === undefined ? told : withCapabilities(told, capabilities);
  const refusal = compileAllowlist(rest.allow);
  const approvals = store === undefined ? undefined : new ApprovalQueue({ store: store.approvals });
  const reconciled =
    store === undefined ? Promise.resolve([]) : reconcileOpen(store.ledger, known, store.waits);
  // A failure shows where it matters: at the calls that need the ledger.
  reconciled.catch(() => {});
  return {
    registry,
    tools: wrapSource(known, { keep: (tool) => refusal(tool, known) === undefined }),
    store,
    approvals,
    flow,
    policy,
    redactor,
    descriptions,
    reconciled,
    telemetry: tracer,
    executorOptions: {
      ...(store !== undefined && {
        ledger: ledgerAfter(reconciled, store.ledger),
        store: recordsOf(store),
        artifacts: store.artifacts,
        waits: store.waits,
      }),
      ...defined({ approve: approvals?.approver }),
      ...(store === undefined && isCallStore(place) && { store: place }),
      ...rest,
      tools: known,
      guards,
      redact: redactor,
      ...defined({ tracer }),
    },
    async close() {
      await reconciled.catch(() => {});
      if (typeof place === "string") store?.close();
    },
  };
}

/** The program's own guards come first: the policy judges the arguments that will run, also where those rewrote them. */
function guardsOf(
  policy: Policy | undefined,
  own: readonly Guard[],
): { guards: readonly Guard[]; flow: InformationFlow | undefined } {
  if (policy === undefined) return { guards: own, flow: undefined };
  const checked = checkPolicy(policy);
  const flow = new InformationFlow({ profile: checked.profile ?? "standard" });
  // The flow is asked first: it takes up what a call that goes on here has read elsewhere, which rules may speak of.
  const rules = policyGuard(checked, { runLabels: (runId) => labelsOfRun(flow, runId) });
  return { guards: [...own, flow.guard, rules], flow };
}

/** What rules know a run by: whether it has read what somebody outside wrote, and what is private. */
function labelsOfRun(flow: InformationFlow, runId = ""): string[] {
  const { untrusted, private: secrets } = flow.labels(runId);
  return [...(untrusted.length > 0 ? ["untrusted"] : []), ...(secrets.length > 0 ? ["private"] : [])];
}

/** Throws `OPTION_INVALID`: before a store is opened. */
function telemetryOf(asked: RigOptions["telemetry"], redact: Redactor): Telemetry | undefined {
  if (asked === undefined || asked === false) return undefined;
  if (asked === true) return telemetry({ redact });
  return "calls" in asked ? asked : telemetry({ redact, ...asked });
}

function storeAt(place: RigOptions["store"], redactor: Redactor): Store | undefined {
  if (typeof place === "string") return openStore(place, { redactor });
  return isStore(place) ? place : undefined;
}

export function isStore(value: unknown): value is Store {
  const candidate = value as Partial<Store> | null | undefined;
  return typeof candidate?.records === "object" && typeof candidate.ledger === "object";
}

function isCallStore(value: unknown): value is CallStore {
  return typeof (value as Partial<CallStore> | null | undefined)?.store === "function";
}

/** The store outlives the executor's recording: it is closed by whoever opened it. */
function recordsOf({ recorder }: Store): CallStore {
  return {
    store: (batch) => recorder.store(batch),
    storeLate: (batch) => recorder.storeLate?.(batch),
  };
}
