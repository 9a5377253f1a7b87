import { type ExtractTool, parameterSchema } from "./tool-index.ts";
import { type TypingRules, typedValue } from "./typed-value.ts";

/** Members under which a model sometimes puts all arguments at once. */
const WHOLE = new Set(["arguments", "parameters", "properties", "input", "args"]);

/** Collects arguments that were written one by one and gives them as the text of a JSON object. Last one wins. */
export class ArgumentBuilder {
  readonly #tool: ExtractTool | undefined;
  readonly #values = new Map<string, string>();

  constructor(tool: ExtractTool | undefined) {
    this.#tool = tool;
  }

  /** Whether the tool declares the parameter. */
  declares(key: string): boolean {
    return this.#tool !== undefined && parameterSchema(this.#tool, key) !== undefined;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** Adds a value written as plain text, typed by the schema. */
  addText(key: string, raw: string, rules: TypingRules): void {
    const schema = this.#tool === undefined ? undefined : parameterSchema(this.#tool, key);
    this.addJson(key, typedValue(raw, schema, this.#tool?.inputSchema, rules));
  }

  /** Adds a value that is JSON already. */
  addJson(key: string, json: string): void {
    this.#values.delete(key);
    this.#values.set(key, json);
  }

  text(): string {
    return (
      this.#whole() ??
      `{${[...this.#values].map(([key, json]) => `${JSON.stringify(key)}: ${json}`).join(", ")}}`
    );
  }

  #whole(): string | undefined {
    const [only] = this.#values;
    if (only === undefined || this.#values.size > 1) return undefined;
    const [key, json] = only;
    if (!WHOLE.has(key) || this.declares(key) || this.#tool?.inputSchema === undefined) return undefined;
    const value: unknown = JSON.parse(json);
    const text = typeof value === "string" ? value.trim() : json;
    return text.startsWith("{") && text.endsWith("}") ? text : undefined;
  }
}
