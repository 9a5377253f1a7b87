import type { Tool } from "@modelcontextprotocol/client";
import type { AnyTool, Safety } from "@toolrig/core";
import { messageOf, validatorFor } from "@toolrig/core/kit";
import { cleanIcons, cleanMeta } from "./clean-notes.ts";
import { cleanSchema } from "./clean-schema.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import { definitionOf, type ForeignDefinition, hashOf } from "./definition.ts";
import type { Limits } from "./limits.ts";
import { measure } from "./measure.ts";
import { toolName } from "./naming.ts";
import { patternCost } from "./pattern-cost.ts";
import type { Pin, Pins, Quarantined } from "./pins.ts";
import { safetyFrom } from "./safety.ts";
import { slices } from "./slices.ts";
import { writtenOut } from "./written-out.ts";

/** A server's tool as it may be shown and registered here. */
export interface AdmittedTool {
  /** What it is called here. */
  name: string;
  /** What the server calls it. */
  own: string;
  title: string | undefined;
  description: string;
  inputSchema: unknown;
  outputSchema: unknown;
  safety: Pick<Safety, "sideEffects" | "idempotent">;
  /** For clients in front; no model is shown them. */
  icons: Tool["icons"];
  meta: Record<string, unknown> | undefined;
  hash: string;
}

export interface AdmitOptions {
  connection: string;
  limits: Limits;
  /** "annotations": what the server says of its tools' safety counts. */
  trust: "none" | "annotations";
  /** What was accepted before. Undefined: this is the first listing, and all of it is. */
  pins: Pins | undefined;
  /** The server's own names of the tools that are wanted. Default: all. */
  allow?: readonly string[] | undefined;
  /** Makes the tool. What it throws says why the tool cannot be used. */
  define(tool: AdmittedTool): AnyTool;
}

export interface Admission {
  tools: readonly (AdmittedTool & { tool: AnyTool })[];
  /** Tools that cannot be used, by names that are safe to show, and why. At most 100. */
  skipped: readonly { name: string; reason: string }[];
  quarantined: readonly Quarantined[];
  /** Own names of tools that were accepted and are no longer listed. */
  gone: readonly string[];
  /** What was cut, cleaned or left out, for people. */
  notes: readonly string[];
  /** The pins of a first listing; otherwise those that were given. */
  pins: Pins;
}

const MAX_OWN_NAME = 256;
/** Parts of a schema with every reference replaced by its target. */
const MAX_WRITTEN_OUT = 100_000;
const MAX_REASONS = 100;
const MAX_TITLE = 200;
/** Compiling a pattern takes that much longer than reading other text. */
const PATTERN_WEIGHT = 10;

/**
 * Looks through a server's list of tools: one that cannot be used is skipped and the others stay, one that nobody accepted is
 * quarantined. Works in slices, so that no list holds up the process.
 */
export async function admit(listed: readonly unknown[], options: AdmitOptions): Promise<Admission> {
  const work = new Admitting(options);
  const pause = slices();
  const taken = listed.slice(0, options.limits.tools);
  if (listed.length > taken.length)
    work.notes.push(`It lists ${listed.length} tools; only the first ${taken.length} are looked at.`);
  for (const each of taken) {
    work.look(each);
    await pause();
  }
  return work.admission();
}

class Admitting {
  readonly #options: AdmitOptions;
  readonly #tools: (AdmittedTool & { tool: AnyTool })[] = [];
  readonly #reasons: { name: string; reason: string }[] = [];
  readonly #quarantined: Quarantined[] = [];
  readonly #pins = new Map<string, Pin>();
  readonly #seen = new Set<string>();
  readonly #names = new Set<string>();
  readonly notes: string[] = [];
  #size = 0;
  #skipped = 0;

  constructor(options: AdmitOptions) {
    this.#options = options;
  }

  /** Whatever is wrong with a tool concerns this tool alone. */
  look(listed: unknown): void {
    const { name } = Object(listed) as { name?: unknown };
    try {
      this.#take(ownName(name), listed as Readonly<Record<string, unknown>>);
    } catch (error) {
      const shown = typeof name === "string" ? cleanLine(name, 60) : "";
      this.#skipped += 1;
      if (this.#reasons.length < MAX_REASONS)
        this.#reasons.push({ name: shown || "(no name)", reason: cleanLine(messageOf(error), 300) });
    }
  }

  #take(own: string, listed: Readonly<Record<string, unknown>>): void {
    const { allow, pins, connection, trust, define } = this.#options;
    if (this.#seen.has(own)) throw new Error("it is listed twice; the first one counts");
    this.#seen.add(own);
    if (allow?.includes(own) === false) return;
    this.#measure(listed);
    const definition = definitionOf(listed);
    const hash = hashOf(definition);
    const pin = pins !== undefined && Object.hasOwn(pins, own) ? pins[own] : undefined;
    if (pins !== undefined && pin?.hash !== hash) {
      this.#quarantined.push({ name: own, reason: pin === undefined ? "new" : "changed", hash, definition });
      return;
    }
    const name = toolName(connection, own);
    if (this.#names.has(name)) throw new Error(`another tool is already called ${name} here`);
    const safety = safetyFrom(definition.annotations, trust);
    const { icons, _meta } = definition;
    const shown = { icons: cleanIcons(icons), meta: cleanMeta(_meta) };
    const admitted = { name, own, ...this.#cleaned(definition), safety, ...shown, hash };
    const tool = define(admitted);
    // A schema that no value can be checked against in bounded time is refused now and not at the first call.
    for (const schema of [tool.input, tool.output])
      if (schema !== undefined) validatorFor(schema.jsonSchema, { trusted: false });
    this.#tools.push({ ...admitted, tool });
    this.#names.add(name);
    this.#pins.set(own, { hash, definition });
  }

  /** Throws what is beyond the limits. Nothing of the definition was read before this. */
  #measure({
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
    icons,
    _meta,
  }: Readonly<Record<string, unknown>>): void {
    const { schema, schemaDepth, patterns, definitions } = this.#options.limits;
    if (typeof inputSchema !== "object") throw new Error("it has no inputSchema");
    for (const [what, value] of Object.entries({ inputSchema, outputSchema, annotations, icons, _meta })) {
      const { size, depth } = measure(value, { size: schema, depth: schemaDepth });
      if (size > schema) throw new Error(`its ${what} is larger than ${schema} characters`);
      if (depth > schemaDepth) throw new Error(`its ${what} is nested more than ${schemaDepth} deep`);
      if (writtenOut(value, MAX_WRITTEN_OUT) > MAX_WRITTEN_OUT)
        throw new Error(`its ${what} has more than ${MAX_WRITTEN_OUT} parts with its references written out`);
      const cost = patternCost(value);
      if (cost > patterns) throw new Error(`the regular expressions of its ${what} are too large`);
      this.#size += size + cost * PATTERN_WEIGHT;
    }
    for (const [what, value] of Object.entries({ title, description })) {
      if (value === undefined) continue;
      if (typeof value !== "string") throw new Error(`its ${what} is not text`);
      if (value.length > schema) throw new Error(`its ${what} is longer than ${schema} characters`);
      this.#size += value.length;
    }
    if (this.#size > definitions)
      throw new Error(`the server's definitions together are larger than ${definitions} characters`);
  }

  #cleaned(definition: ForeignDefinition) {
    const { description: longest } = this.#options.limits;
    const { name } = definition;
    const title = cleanText(textIn(definition.title));
    const description = cleanText(textIn(definition.description));
    const input = cleanSchema(definition.inputSchema);
    const output = cleanSchema(definition.outputSchema);
    for (const [what, { hiddenAt }] of Object.entries({ inputSchema: input, outputSchema: output })) {
      if (hiddenAt === undefined) continue;
      throw new Error(`its ${what} has invisible characters at "${cleanLine(hiddenAt, 80)}"`);
    }
    const removed = title.removed + description.removed + input.removed + output.removed;
    const shown = cleanLine(name, 60);
    if (removed > 0)
      this.notes.push(`${shown}: ${removed} invisible characters were taken out of its texts.`);
    if (description.text.length > longest)
      this.notes.push(
        `${shown}: its description of ${description.text.length} characters was cut to ${longest}.`,
      );
    return {
      title: cleanLine(title.text, MAX_TITLE) || undefined,
      description: description.text.slice(0, longest).trim() || cleanLine(title.text, MAX_TITLE) || shown,
      inputSchema: input.schema,
      outputSchema: output.schema,
    };
  }

  admission(): Admission {
    const { pins } = this.#options;
    const more = this.#skipped - this.#reasons.length;
    if (more > 0) this.notes.push(`${more} more tools were skipped.`);
    return {
      tools: this.#tools,
      skipped: this.#reasons,
      quarantined: this.#quarantined,
      gone: Object.keys(pins ?? {}).filter((own) => !this.#seen.has(own)),
      notes: this.notes,
      pins: pins ?? Object.fromEntries(this.#pins),
    };
  }
}

function ownName(name: unknown): string {
  if (typeof name === "string" && name.length <= MAX_OWN_NAME && cleanLine(name, 60) !== "") return name;
  throw new Error(`its name is not 1 to ${MAX_OWN_NAME} characters that can be seen`);
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
