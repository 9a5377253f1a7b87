import { readFileSync } from "node:fs";
import { type LoadHookSync, registerHooks, stripTypeScriptTypes } from "node:module";
import { compileFunction } from "node:vm";

let registered = false;

/**
 * From now on, what a project writes as a module is one, whatever its package.json says: `npm init` writes
 * `"type": "commonjs"`, and people write `import`. Files that are CommonJS stay that, and packages are what they say.
 */
export function readModulesAsWritten(): void {
  if (registered) return;
  registered = true;
  registerHooks({ load });
}

const load: LoadHookSync = (url, context, next) => {
  const format = context.format ?? "";
  const isOpen = format.startsWith("commonjs") && /^file:(?!.*\/node_modules\/).*\.[jt]s$/.test(url);
  if (!isOpen || isCommonJs(url, format)) return next(url, context);
  return next(url, { ...context, format: format.replace("commonjs", "module") });
};

/** What Node could run as CommonJS. A file that nothing could run is a module, too: the error is the same. */
function isCommonJs(url: string, format: string): boolean {
  try {
    const text = readFileSync(new URL(url), "utf8");
    const script = format === "commonjs-typescript" ? stripTypeScriptTypes(text) : text.replace(/^#!.*/, "");
    compileFunction(script, ["exports", "require", "module", "__filename", "__dirname"]);
    return true;
  } catch {
    return false;
  }
}
