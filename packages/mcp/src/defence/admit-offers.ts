import { createHash } from "node:crypto";
import type { Prompt, Resource, ResourceTemplateType } from "@modelcontextprotocol/client";
import { defined, isRecord, messageOf } from "@toolrig/core/kit";
import { cleanAnnotations, cleanIcons, cleanMeta } from "./clean-notes.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import { definitionOf, type ForeignDefinition, hashOf } from "./definition.ts";
import type { Limits } from "./limits.ts";
import { measure } from "./measure.ts";
import { toolName } from "./naming.ts";
import type { Pin, Pins, Quarantined } from "./pins.ts";
import { slices } from "./slices.ts";

/** What a server offers beside its tools, as it said it. */
export interface ListedOffers {
  instructions: unknown;
  prompts: readonly unknown[];
  resources: readonly unknown[];
  templates: readonly unknown[];
  /** Lists that could not be read, and why. */
  notes: readonly string[];
}

/** The same, as it may be told to clients: under names and URIs of the server's own, but for the names of prompts. */
export interface AdmittedOffers {
  instructions: string | undefined;
  /** Each with the server's own name. */
  prompts: readonly { own: string; prompt: Prompt }[];
  resources: readonly Resource[];
  templates: readonly ResourceTemplateType[];
  quarantined: readonly Quarantined[];
  notes: readonly string[];
  /** The pins of a first listing; otherwise those that were given. */
  pins: Pins;
  /** Another one when anything that may be told is another. */
  mark: string;
}

const MAX_NAME = 256;
const MAX_TITLE = 200;
const MAX_URI = 2_000;
const MAX_ARGUMENTS = 50;

/**
 * Looks through what a server offers beside tools. What cannot be used is left out with a note. Prompts, templates and instructions that
 * nobody accepted are quarantined, as tools are; resources are data, which comes and goes. Works in slices, so that no list holds up the
 * process.
 */
export async function admitOffers(
  listed: ListedOffers,
  connection: string,
  limits: Limits,
  pins: Pins | undefined,
): Promise<AdmittedOffers> {
  const work = new AdmittingOffers(connection, limits, pins);
  const instructions = work.instructions(listed.instructions);
  const prompts = await work.each("prompt", listed.prompts, (given) => work.prompt(given));
  const resources = await work.each("resource", listed.resources, (given) => work.resource(given));
  const templates = await work.each("template", listed.templates, (given) => work.template(given));
  const { notes, ...found } = work.found();
  return { instructions, prompts, resources, templates, ...found, notes: [...listed.notes, ...notes] };
}

type Given = Readonly<Record<string, unknown>>;

class AdmittingOffers {
  readonly #connection: string;
  readonly #limits: Limits;
  readonly #pins: Pins | undefined;
  readonly #made = new Map<string, Pin>();
  readonly #quarantined: Quarantined[] = [];
  readonly #notes: string[] = [];
  readonly #seen = new Set<string>();
  readonly #pause = slices();
  readonly #mark = createHash("sha256");
  #size = 0;
  #left = 0;

  constructor(connection: string, limits: Limits, pins: Pins | undefined) {
    this.#connection = connection;
    this.#limits = limits;
    this.#pins = pins;
  }

  /** Whatever is wrong with one concerns this one alone. */
  async each<Made>(
    what: string,
    listed: readonly unknown[],
    make: (given: Given) => Made | undefined,
  ): Promise<Made[]> {
    const { tools: most } = this.#limits;
    if (listed.length > most)
      this.#notes.push(`It lists ${listed.length} ${what}s; only the first ${most} are looked at.`);
    const made: Made[] = [];
    for (const given of listed.slice(0, most)) {
      try {
        const one = make(this.#measured(given));
        if (one !== undefined) {
          made.push(one);
          this.#mark.update(`${JSON.stringify([what, one])}\n`);
        }
      } catch (error) {
        this.#left += 1;
        if (this.#left <= MAX_NOTES) this.#notes.push(`A ${what} was left out: ${messageOf(error)}.`);
      }
      await this.#pause();
    }
    return made;
  }

  /** Throws what is beyond the limits. */
  #measured(given: unknown): Given {
    const { schema, schemaDepth, definitions } = this.#limits;
    const { size, depth } = measure(given, { size: schema, depth: schemaDepth });
    if (!isRecord(given) || size > schema || depth > schemaDepth)
      throw new Error(`it is larger than ${schema} characters or nested more than ${schemaDepth} deep`);
    this.#size += size;
    if (this.#size > definitions) throw new Error(`all together are larger than ${definitions} characters`);
    return given;
  }

  instructions(text: unknown): string | undefined {
    if (typeof text !== "string" || text.trim() === "") return undefined;
    if (text.length > this.#limits.schema) {
      this.#notes.push(`Its instructions of ${text.length} characters were left out.`);
      return undefined;
    }
    if (!this.#accepted({ kind: "instructions", name: "instructions", text }, "instructions"))
      return undefined;
    const shown = this.#text(text);
    this.#mark.update(`${JSON.stringify(shown)}\n`);
    return shown;
  }

  prompt(given: Given): { own: string; prompt: Prompt } | undefined {
    const own = this.#name(given.name, MAX_NAME);
    const key = this.#once(`prompt:${own}`);
    if (!this.#accepted({ ...definitionOf(given), kind: "prompt" }, key)) return undefined;
    const taken = Array.isArray(given.arguments) ? given.arguments.slice(0, MAX_ARGUMENTS) : [];
    const args = taken.map((each: unknown) => this.#argument(each));
    const name = toolName(this.#connection, own);
    return { own, prompt: { name, ...this.#shown(given), ...(args.length > 0 && { arguments: args }) } };
  }

  #argument(given: unknown) {
    const { name, title, description, required } = isRecord(given) ? given : {};
    return {
      name: this.#name(name, MAX_NAME),
      ...(typeof title === "string" && { title: cleanLine(title, MAX_TITLE) }),
      ...(typeof description === "string" && { description: this.#text(description) }),
      ...(typeof required === "boolean" && { required }),
    };
  }

  resource(given: Given): Resource {
    const uri = this.#name(given.uri, MAX_URI);
    this.#once(`resource:${uri}`);
    const { size } = given;
    return {
      uri,
      name: this.#label(given.name) ?? uri,
      ...this.#shown(given),
      ...(typeof size === "number" && { size }),
    } as Resource;
  }

  template(given: Given): ResourceTemplateType | undefined {
    const uriTemplate = this.#name(given.uriTemplate, MAX_URI);
    const key = this.#once(`template:${uriTemplate}`);
    const name = this.#label(given.name) ?? uriTemplate;
    if (!this.#accepted({ ...definitionOf({ ...given, name }), kind: "template" }, key)) return undefined;
    return { uriTemplate, name, ...this.#shown(given) } as ResourceTemplateType;
  }

  found(): Pick<AdmittedOffers, "quarantined" | "notes" | "pins" | "mark"> {
    const more = this.#left - MAX_NOTES;
    const notes = more > 0 ? [...this.#notes, `${more} more were left out.`] : this.#notes;
    const pins = this.#pins ?? Object.fromEntries(this.#made);
    return { quarantined: this.#quarantined, notes, pins, mark: this.#mark.digest("hex") };
  }

  /** What prompts, resources and templates have in common. */
  #shown({ title, description, mimeType, annotations, icons, _meta }: Given) {
    return defined({
      title: this.#label(title),
      description: typeof description === "string" ? this.#text(description) : undefined,
      mimeType: typeof mimeType === "string" ? cleanLine(mimeType, MAX_TITLE) : undefined,
      annotations: cleanAnnotations(annotations),
      icons: cleanIcons(icons),
      _meta: cleanMeta(_meta),
    });
  }

  #label(value: unknown): string | undefined {
    return (typeof value === "string" && cleanLine(value, MAX_TITLE)) || undefined;
  }

  #text(value: string): string {
    return cleanText(value).text.slice(0, this.#limits.description);
  }

  /** It is sent back to the server as it is, so what hides something in it is not taken. */
  #name(value: unknown, most: number): string {
    if (typeof value === "string" && value !== "" && value.length <= most && cleanLine(value, most) === value)
      return value;
    throw new Error(`its name or URI is not 1 to ${most} characters that can be seen`);
  }

  #once(key: string): string {
    if (this.#seen.has(key)) throw new Error("it is listed twice; the first one counts");
    this.#seen.add(key);
    return key;
  }

  /** Whether it is what was accepted, or the first listing. Otherwise it is quarantined. */
  #accepted(definition: ForeignDefinition, key: string): boolean {
    const hash = hashOf(definition);
    const pins = this.#pins;
    if (pins === undefined) {
      this.#made.set(key, { hash, definition });
      return true;
    }
    const pin = Object.hasOwn(pins, key) ? pins[key] : undefined;
    if (pin?.hash === hash) return true;
    this.#quarantined.push({ name: key, reason: pin === undefined ? "new" : "changed", hash, definition });
    return false;
  }
}

const MAX_NOTES = 20;
