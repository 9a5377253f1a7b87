import { basename } from "node:path";

const PLACEHOLDER = /\$\{(?:(env|input):)?([^}:]+)(?::-([^}]*))?\}/g;

/**
 * What files of other programs leave open: `${env:NAME}` of VS Code and `${NAME}` of `.mcp.json` stay references to a variable, read
 * when the connection is made; `${NAME:-default}` is its default where the variable is not set; `${input:ID}` is what was given for it.
 */
export class McpPlaceholders {
  readonly #inputs: Readonly<Record<string, string>>;
  readonly #asked: ReadonlyMap<string, string>;
  readonly #folder: string;

  constructor(inputs: Readonly<Record<string, string>>, asked: ReadonlyMap<string, string>, folder: string) {
    this.#inputs = inputs;
    this.#asked = asked;
    this.#folder = folder;
  }

  /** A copy of a value with every placeholder in its texts replaced. Throws for one that has no meaning here. */
  in(value: unknown): unknown {
    if (typeof value === "string")
      return value.replaceAll(PLACEHOLDER, (...[whole, kind, name, otherwise]) =>
        this.#one(whole, kind, name, otherwise),
      );
    if (Array.isArray(value)) return value.map((each) => this.in(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.in(each)]));
  }

  #one(whole: string, kind: string | undefined, name: string, otherwise: string | undefined): string {
    if (kind === "input") return this.#input(name);
    if (kind === undefined && name === "workspaceFolder") return this.#folder;
    if (kind === undefined && name === "workspaceFolderBasename") return basename(this.#folder);
    if (kind === undefined && name === "userHome") return variable("HOME");
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`${whole} has no meaning here`);
    return otherwise !== undefined && process.env[name] === undefined ? otherwise : variable(name);
  }

  #input(id: string): string {
    const given = Object.hasOwn(this.#inputs, id) ? this.#inputs[id] : undefined;
    if (given !== undefined) return given;
    const what = this.#asked.get(id);
    throw new Error(
      `it asks for ${id}${what ? ` ("${what}")` : ""}: give --input ${id}=VALUE, or --input '${id}=\${env:NAME}' to read a variable`,
    );
  }
}

function variable(name: string): string {
  return `\${env:${name}}`;
}
