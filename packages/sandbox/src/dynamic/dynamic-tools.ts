import { checkPolicy, type InformationFlow, MemoryJournal, unavailable } from "@toolrig/core";
import {
  type Catalog,
  check,
  declareOptions,
  isThenable,
  MemoryArtifactStore,
  MemoryCatalog,
  type OptionTable,
  option,
  type RigWith,
} from "@toolrig/core/kit";
import type { ScriptStores } from "../code/script-book.ts";
import { limitOptions, type SandboxLimits } from "../engine/limits.ts";
import { Sandbox } from "../engine/sandbox.ts";
import { findCompiler } from "../typescript/check.ts";
import { builderTools } from "./builder-tools.ts";
import type { Workshop } from "./handler.ts";
import { Shelf, type ShelvedTool } from "./shelf.ts";
import { sourceText } from "./source-text.ts";

/**
 * A rig for dynamic tools. They are registered with it, and kept in the catalog of its store. Without `flow`, a tool that a model
 * makes counts as untrusted. `policy` also judges calls of a tool by the rights of the principal it was made for.
 */
export interface DynamicRig extends RigWith<"registry" | "tools", "executor" | "policy"> {
  /** Without it, tools and waiting calls are lost when the process ends. */
  readonly store?: (ScriptStores & { readonly catalog: Catalog }) | undefined;
  readonly flow?: Pick<InformationFlow, "labels"> | undefined;
}

export interface DynamicToolsOptions {
  /** Where they are kept. Default: the store's. */
  catalog?: Catalog;
  /** How many are kept. Default 100. */
  maxTools?: number;
  /** How many are kept that were made on behalf of one principal. Default 25. */
  maxToolsPerPrincipal?: number;
  /** How long a handler may be, in characters. Default 20,000. */
  maxSource?: number;
  /** What a call of a handler may take. */
  limits?: SandboxLimits;
  /** The folder whose TypeScript checks handlers, or false: nobody does. Default: the working directory. */
  typescript?: string | false;
}

const dynamicOptions = declareOptions("dynamicTools", {
  catalog: option.part<Catalog>("a catalog", ["put", "get", "list", "remove"]),
  maxTools: option.count(1, { default: 100 }),
  maxToolsPerPrincipal: option.count(1, { default: 25 }),
  maxSource: option.count(1, { default: 20_000 }),
  limits: option.group(limitOptions),
  // Checked where the compiler is looked for.
  typescript: option.anything("a folder with TypeScript, or false"),
} satisfies OptionTable<DynamicToolsOptions>);

/** Tools that models made. */
export interface DynamicTools {
  /** What was kept is registered. Rejects when the catalog cannot be read. With a store on SQLite that is so from the start. */
  readonly ready: Promise<void>;
  list(): Promise<readonly ShelvedTool[]>;
  /** The source of a tool, to be read. Undefined when there is none, or it is quarantined. */
  source(name: string): Promise<string | undefined>;
  /** Removes a tool, whoever made it, also one that is quarantined. Whether there was one. */
  remove(name: string): Promise<boolean>;
  /** Ends the sandbox, with the calls that run in it, and takes all of this out of the registry. The catalog keeps it. */
  close(): void;
}

/**
 * Gives a rig the tools with which a model makes tools, and those that were made before. Throws `OPTION_INVALID`.
 */
export function dynamicTools(rig: DynamicRig, options: DynamicToolsOptions = {}): DynamicTools {
  const { maxTools, maxToolsPerPrincipal, maxSource, limits, ...given } =
    dynamicOptions.withDefaults(options);
  checkRig(rig);
  const catalog = given.catalog ?? rig.store?.catalog ?? new MemoryCatalog();
  const compiler = compilerOf(given.typescript);
  const bounds = { maxTools, maxToolsPerPrincipal, maxSource };
  let sandbox: Sandbox | undefined;
  let closed = false;
  const theSandbox = () => {
    if (closed) throw unavailable("Dynamic tools are closed.");
    sandbox ??= new Sandbox(limits === undefined ? {} : { limits });
    return sandbox;
  };
  const { registry, tools, flow, policy } = rig;
  const kept = rig.store ?? { journal: new MemoryJournal(), artifacts: new MemoryArtifactStore() };
  const workshop: Workshop = {
    ...{ sandbox: theSandbox, tools, policy, kept },
    artifacts: () => rig.executor?.artifacts ?? kept.artifacts,
    giveUp: async (executionId) =>
      rig.executor?.waits?.cancel(executionId, { reason: "the tool that made it ended without it" }),
  };
  const shelf = new Shelf(registry, catalog, workshop, bounds.maxSource);
  const makers = builderTools({ shelf, bounds, flow, workshop, compiler });
  for (const each of makers) registry.add(each, { provider: "sandbox" });
  const restored = shelf.restore();
  const ready = isThenable(restored) ? restored.then(() => {}) : Promise.resolve();
  // A failure shows to whoever waits for it, and to whoever lists.
  ready.catch(() => {});
  return {
    ready,
    list: () => shelf.list(),
    async source(name) {
      const made = (await shelf.get(name))?.made;
      return made === undefined ? undefined : sourceText(made);
    },
    remove: (name) => shelf.alone(() => shelf.remove(name)),
    close() {
      closed = true;
      sandbox?.close();
      shelf.clear();
      for (const each of makers) if (registry.get(each.name) === each) registry.remove(each.name);
    },
  };
}

/** A rig has more than is named here, so that a name that is misspelt does not show. */
function checkRig(rig: DynamicRig): void {
  check.object("rig", rig, "a rig, or { registry, tools }");
  const { registry, tools, store, executor, flow, policy } = rig;
  need("registry", registry, ["add", "get", "remove"], "a Registry");
  need("tools", tools, ["tools", "get"], "a source of tools");
  if (store !== undefined) {
    check.object("store", store, "a store");
    need("store.catalog", store.catalog, ["put", "get", "list", "remove"], "a catalog");
    need("store.journal", store.journal, ["begin", "append", "entries"], "a journal");
    need("store.artifacts", store.artifacts, ["read"], "where artifacts are kept");
  }
  if (executor !== undefined) {
    check.object("executor", executor, "an executor");
    need("executor.waits", executor.waits, ["cancel"], "the waits of an executor");
  }
  if (flow !== undefined) need("flow", flow, ["labels"], "an InformationFlow");
  if (policy !== undefined) checkPolicy(policy);
}

function need(field: string, value: unknown, methods: readonly string[], expected: string): void {
  check.object(field, value, expected);
  check.has(field, value, methods, expected);
}

/** The one of a folder that was named has to be there. */
function compilerOf(folder: string | false | undefined): string | false | undefined {
  if (folder === undefined || folder === false) return folder ?? findCompiler(process.cwd());
  check.string("typescript", folder);
  const found = findCompiler(folder);
  if (found === undefined)
    throw check.invalid("typescript", "a folder in which TypeScript is installed, or false", folder);
  return found;
}
