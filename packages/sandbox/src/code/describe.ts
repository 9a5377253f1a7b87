import type { AnyTool, ToolDefinition, ToolSource } from "@toolrig/core";
import { DefinitionList } from "@toolrig/core/kit";
import { declarations } from "../typescript/declarations.ts";

const RULES = `Run a short TypeScript script that calls tools. Use it where several calls belong together: loops, filters, calls that only feed other calls. What the script does not return or log is not shown to you, so large intermediate results cost nothing.
- The script is the body of an async function: use await and return at the top level. There are no imports, no network, no files: only tools, console, timers and JavaScript itself.
- Each tool is an async function with one object of arguments: const page = await tools.fetch_page({ url }). Calls in Promise.all run in parallel.
- A call that fails throws an Error with code, kind and message, and with value and content where the tool returned some (such as value.stdout of a command); catch it to go on.
- Each call is checked, approved and recorded as if you had made it yourself. A call that waits for somebody just takes longer.`;

/** Beside the tools, for whoever checks types. */
const AMBIENT = `declare const console: Record<"log" | "info" | "warn" | "error" | "debug", (...values: any[]) => void>;
declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function clearTimeout(id: number): void;
`;

/** What a model is told of the tools that its scripts may call. */
export class Offered {
  readonly #source: ToolSource;
  readonly #most: number;
  readonly #list: DefinitionList;
  #last: { definitions: readonly ToolDefinition[]; description: string; isForeign: boolean } | undefined;

  /** Up to `most` tools are declared; of more, the model finds those that it needs. */
  constructor(source: ToolSource, most: number) {
    this.#source = source;
    this.#most = most;
    this.#list = new DefinitionList(source);
  }

  get description(): string {
    return this.#current().description;
  }

  /** Whether the description has words of somebody outside: those of a tool that was not defined in this program. */
  get isForeign(): boolean {
    return this.#current().isForeign;
  }

  /** The types of the tools that a script names. */
  declarationsFor(code: string): string {
    const named = this.#list.current().filter(({ name }) => code.includes(name));
    return `${declarations(named)}${AMBIENT}`;
  }

  #current() {
    const definitions = this.#list.current();
    if (this.#last?.definitions === definitions) return this.#last;
    const isSmall = definitions.length <= this.#most;
    const tools = isSmall ? declarations(definitions) : MANY.replace("COUNT", String(definitions.length));
    const isForeign = isSmall && definitions.some(({ name }) => this.#get(name)?.trusted === false);
    this.#last = { definitions, description: `${RULES}\n\n${tools}`, isForeign };
    return this.#last;
  }

  #get(name: string): AnyTool | undefined {
    return this.#source.get(name);
  }
}

const MANY = `There are COUNT tools, too many to be declared here. Search them with find_tools first: its answer declares those that it found, and tools has all of them.`;
