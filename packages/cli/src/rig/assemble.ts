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
  check,
  compileAllowlist,
  type DescriptionStore,
  defined,
  globalTools,
  isToolSource,
  settingsOf,
  withDescriptions,
  wrapSource,
} from "@toolrig/core/kit";
import type { McpOptions } from "@toolrig/mcp";
import type { DynamicToolsOptions, RunCodeOptions } from "@toolrig/sandbox";
import { openStore, type Store } from "@toolrig/store";
import { type Telemetry, type TelemetryOptions, telemetry } from "@toolrig/telemetry";
import { ledgerAfter } from "./ledger-after.ts";

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
   * Whether runs, responses of models and calls are spans and are counted, or how: docs/observability.md. One that `telemetry()`
   * made can serve several rigs. Default false.
   */
  telemetry?: boolean | TelemetryOptions | Telemetry;
}

const SETTINGS = settingsOf<RigOptions>({
  tools: true,
  allow: true,
  timeout: true,
  answerWithin: true,
  mode: true,
  capabilities: true,
  concurrency: true,
  hooks: true,
  guards: true,
  approve: true,
  events: true,
  store: true,
  descriptions: true,
  policy: true,
  dynamicTools: true,
  code: true,
  engine: true,
  system: true,
  mcp: true,
  telemetry: true,
  ledger: true,
  waits: true,
  mayAnswer: true,
  onUnrecorded: true,
  artifacts: true,
  maxContent: true,
  onGuess: true,
  onUnavailable: true,
  redact: true,
  clock: true,
});

/** What a rig is made of. */
export interface Parts {
  readonly registry: Registry;
  /** What may be called: all tools there are, within the allowlist. */
  readonly tools: ToolSource;
  readonly store: Store | undefined;
  readonly approvals: ApprovalQueue | undefined;
  readonly flow: InformationFlow | undefined;
  readonly policy: Policy | undefined;
  readonly redactor: Redactor;
  readonly descriptions: DescriptionStore | undefined;
  /** What became of calls that an earlier process left open. */
  readonly reconciled: Promise<readonly Reconciliation[]>;
  readonly telemetry: Telemetry | undefined;
  readonly executor: ExecutorOptions & { readonly tools: ToolSource };
  /** Closes the store, if it was opened here. */
  close(): Promise<void>;
}

/** Throws `OPTION_INVALID`, `CONFIG_INVALID` or `STORE_FAILED`, naming what is wrong. */
export function assemble(options: RigOptions): Parts {
  checkOptions(options);
  const {
    tools: given,
    store: place,
    policy,
    engine: _,
    system: __,
    dynamicTools: ___,
    code: ____,
    mcp: _____,
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
    executor: {
      ...(store !== undefined && {
        ledger: ledgerAfter(reconciled, store.ledger),
        store: recordsOf(store),
        artifacts: store.artifacts,
        waits: store.waits,
      }),
      ...(approvals !== undefined && { approve: approvals.approver }),
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

/** What the executor does not see; and what is needed before it is made, so that no store is opened in vain. */
function checkOptions(options: RigOptions): void {
  check.known("A rig", options, SETTINGS);
  const { capabilities, descriptions, engine, guards, system } = options;
  if (capabilities !== undefined)
    check.strings("capabilities", capabilities, 'a list of capabilities such as ["network"]');
  if (guards !== undefined) check.list("guards", guards, "a list of guards");
  if (system !== undefined && typeof system !== "string") throw check.invalid("system", "a string", system);
  check.has("descriptions", descriptions, ["get"], "a store of descriptions");
  check.has("engine", engine, ["stream"], "an engine such as aiSdkEngine(model)");
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
  check.object("telemetry", asked, "true, false or options");
  return "calls" in asked ? asked : telemetry({ redact, ...asked });
}

function storeAt(place: RigOptions["store"], redactor: Redactor): Store | undefined {
  if (typeof place === "string") return openStore(place, { redactor });
  if (place === undefined || isStore(place)) return place;
  if (isCallStore(place)) return undefined;
  const expected =
    'a path such as "toolrig.db", a store opened by openStore, or an object with a store method';
  throw check.invalid("store", expected, place);
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
