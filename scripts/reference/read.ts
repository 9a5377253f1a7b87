import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { DOORS } from "../architecture/plan.ts";
import { usesIn } from "./uses.ts";

/** A name that a door gives out: what it is, as it is declared, and what its comment says. */
export interface Exported {
  name: string;
  kind: "function" | "class" | "type" | "value";
  /** Without its comment; those of its members stay. A function has one for each way to call it. */
  declarations: readonly string[];
  comment: string;
  /** The module that declares it, and how it is called there. */
  at: { file: string; name: string };
  /** Names in its declaration. */
  uses: readonly Use[];
  /** The door of another package that it is given out by first. */
  door?: string;
}

/** A name in a declaration; with a module, it is that module's. */
export interface Use {
  name: string;
  from?: string;
}

interface Module {
  /** Declared here, by name. */
  declared: Map<string, Omit<Exported, "name">>;
  /** Given out under a name: from where, and what it is called there. No `from` is this module. */
  exports: Map<string, { from?: string; name: string }>;
  /** Modules of which everything is given out. */
  all: string[];
  /** Names that were imported. */
  imports: Map<string, { from: string; name: string }>;
}

const modules = new Map<string, Module>();

/** Everything that the door with this file of declarations gives out, by name. */
export function exportedBy(file: string): Exported[] {
  const found = new Map<string, Exported>();
  const { exports, all } = moduleAt(file);
  for (const name of exports.keys()) found.set(name, find(file, name));
  for (const from of all) {
    for (const each of exportedBy(placeOf(file, from))) {
      if (found.has(each.name)) continue;
      found.set(each.name, from.startsWith(".") ? each : { door: from, ...each });
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, "en"));
}

function find(file: string, name: string): Exported {
  const found = lookUp(file, name);
  if (found === undefined) throw new Error(`${file} gives out ${name}, which is declared nowhere.`);
  return found;
}

/** Resolves a name in a module. Undefined for names from outside of this workspace: the language's own, other packages'. */
export function lookUp(file: string, name: string): Exported | undefined {
  const { declared, exports, imports, all } = moduleAt(file);
  const given = exports.get(name) ?? { name };
  const source = given.from === undefined ? imports.get(given.name) : { from: given.from, name: given.name };
  if (source?.from !== undefined) {
    if (!isOurs(source.from)) return undefined;
    const there = lookUp(placeOf(file, source.from), source.name);
    return there && { ...there, name, ...(source.from.startsWith(".") ? {} : { door: source.from }) };
  }
  const here = declared.get(given.name);
  if (here !== undefined) return { name, ...here };
  for (const from of all) {
    const place = placeOf(file, from);
    if (exportedBy(place).some((each) => each.name === name)) return lookUp(place, name);
  }
  return undefined;
}

export function isOurs(from: string): boolean {
  return from.startsWith(".") || DOORS.some(({ name }) => name === from);
}

/** The declarations of another module of this workspace. */
export function placeOf(file: string, from: string): string {
  if (from.startsWith(".")) return join(dirname(file), from.replace(/\.[jt]s$/, ".d.ts"));
  const door = DOORS.find(({ name }) => name === from);
  if (door === undefined)
    throw new Error(`${file} gives out what comes from ${from}, which is no known door.`);
  return declarationsOf(door.file);
}

/** Path of the declarations that the compiler writes for a source file. */
export function declarationsOf(source: string): string {
  return source.replace("/src/", "/dist/").replace(/\.ts$/, ".d.ts");
}

function moduleAt(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, "utf8");
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const module: Module = { declared: new Map(), exports: new Map(), all: [], imports: new Map() };
  modules.set(file, module);
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  const commentBefore = (start: number): string => {
    const last = docs.findLast(({ end }) => end <= start && text.slice(end, start).trim() === "");
    return last === undefined ? "" : proseOf(last.value);
  };
  for (const node of program.body as unknown as Node[]) {
    if (node.type === "ImportDeclaration") {
      for (const { local, imported } of node.specifiers ?? [])
        module.imports.set(local.name, { from: node.source?.value ?? "", name: imported?.name ?? "default" });
    } else if (node.type === "ExportAllDeclaration") module.all.push(node.source?.value ?? "");
    else if (node.type === "ExportNamedDeclaration" && node.declaration == null) {
      for (const { local, exported } of node.specifiers ?? [])
        module.exports.set(exported?.name ?? local.name, {
          name: local.name,
          ...(node.source != null && { from: node.source.value }),
        });
    } else declare(node, module, { file, text, commentBefore });
  }
  return module;
}

/** As much of the syntax tree as is looked at. */
interface Node {
  type: string;
  start: number;
  end: number;
  source?: { value: string } | null;
  declaration?: Node | null;
  id?: { name: string };
  declarations?: { id: { name: string } }[];
  specifiers?: { local: { name: string }; imported?: { name: string }; exported?: { name: string } }[];
}

const KINDS: Readonly<Record<string, Exported["kind"]>> = {
  TSDeclareFunction: "function",
  ClassDeclaration: "class",
  TSInterfaceDeclaration: "type",
  TSTypeAliasDeclaration: "type",
  VariableDeclaration: "value",
};

function declare(
  node: Node,
  { declared, exports }: Module,
  { file, text, commentBefore }: { file: string; text: string; commentBefore: (start: number) => string },
): void {
  const inner = node.type === "ExportNamedDeclaration" ? node.declaration : node;
  const kind = KINDS[inner?.type ?? ""];
  if (inner == null || kind === undefined) return;
  const names = inner.declarations?.map(({ id }) => id.name) ?? [inner.id?.name ?? ""];
  for (const name of names) {
    const earlier = declared.get(name);
    const own = commentBefore(node.start);
    declared.set(name, {
      kind: earlier?.kind ?? kind,
      declarations: [...(earlier?.declarations ?? []), declarationText(text.slice(inner.start, inner.end))],
      at: { file, name },
      uses: [...(earlier?.uses ?? []), ...usesIn(inner)],
      comment: [earlier?.comment, own].filter((each) => each !== undefined && each !== "").join("\n\n"),
    });
    if (node !== inner) exports.set(name, { name });
  }
}

/** Without what nobody can use. */
function declarationText(text: string): string {
  return text
    .replace(/^declare /, "")
    .replace(/^ *(?:#private|private [^\n;]+);\n/gm, "")
    .replaceAll(/import\("[^"]+"\)\./g, "")
    .replace(/^ {4,}/gm, (spaces) => " ".repeat(Math.ceil(spaces.length / 2)));
}

function proseOf(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*? ?/, ""));
  return lines.join("\n").trim();
}
