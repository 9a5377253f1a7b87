import { readFileSync, statSync } from "node:fs";
// By their module: a Node that lacks one of them gets as far as being told that it is too old.
import * as modules from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";

/** Ends the address of what is read anew: for Node it is another module then. */
const READING = /\?reading=\d+$/;

let isRegistered = false;
let reading = 0;
const filesRead = new Map<string, number>();

/**
 * The address under which a module of a project is imported. From now on, what a project writes as a module is one, whatever
 * its package.json says: `npm init` writes `"type": "commonjs"`, and people write `import`. Files that are CommonJS stay that,
 * and packages are what they say.
 */
export function moduleAddress(file: string): string {
  if (!isRegistered) modules.registerHooks({ resolve });
  isRegistered = true;
  return `${pathToFileURL(file).href}${reading === 0 ? "" : `?reading=${reading}`}`;
}

/**
 * From now on, modules of the project are read anew: the one that is imported next and, relative to it, what it imports. Packages
 * and what is written in CommonJS are read once.
 */
export function readAnew(): void {
  reading += 1;
  filesRead.clear();
}

/** What the project was read from since `readAnew`, each with when it had last been changed. */
export function readFiles(): ReadonlyMap<string, number> {
  return new Map(filesRead);
}

/** A file that was read as data. */
export function noteRead(file: string): void {
  if (reading > 0) filesRead.set(file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

/** Only how a module is found is changed. With a hook for how it is loaded, Node 22 would read CommonJS by other rules. */
const resolve: modules.ResolveHookSync = (specifier, context, next) => {
  const found = next(specifier, context);
  const [query] = READING.exec(context.parentURL ?? "") ?? [];
  const isOwn = query !== undefined && /^\.{0,2}\//.test(specifier) && found.url.startsWith("file:");
  const url = isOwn ? `${found.url}${query}` : found.url;
  if (READING.test(url)) noteRead(fileURLToPath(url));
  return { ...found, url, format: formatOf(url, found.format) };
};

function formatOf<Format extends string | null | undefined>(url: string, format: Format): Format | string {
  const isOpen = /^file:(?!.*\/node_modules\/).*\.[jt]s$/.test(url.replace(READING, ""));
  if (!isOpen || !format?.startsWith("commonjs") || isCommonJs(url, format)) return format;
  return format.replace("commonjs", "module");
}

/** What Node could run as CommonJS. A file that nothing could run is a module, too: the error is the same. */
function isCommonJs(url: string, format: string): boolean {
  try {
    const text = readFileSync(new URL(url), "utf8");
    const script =
      format === "commonjs-typescript" ? modules.stripTypeScriptTypes(text) : text.replace(/^#!.*/, "");
    compileFunction(script, ["exports", "require", "module", "__filename", "__dirname"]);
    return true;
  } catch {
    return false;
  }
}
