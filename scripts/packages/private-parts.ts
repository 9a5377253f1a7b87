/**
 * Finds private parts of dependencies in a source: members that begin with an underscore, overrides of them, and files that a package
 * does not export by name. They change without notice, so each would force an exact version.
 */
const UNDERSCORE = /(?:\?\.|\.|\boverride\s+(?:async\s+)?|\[["'])_[a-z]\w*/gi;
const DEEP_IMPORT = /\bfrom\s+["']((?:@[\w.-]+\/)?\w[\w.-]*\/(?:dist|lib|src|build|internal)\/[^"']+)["']/g;

/** Documented by those who made them, for use by others. */
const PUBLIC: ReadonlySet<string> = new Set([
  // A field of MCP's messages.
  "_meta",
  // Zod 4, for library authors: https://zod.dev/library-authors
  "_zod",
  // LangChain, what a tool and a streaming chat model of one's own implement.
  "_call",
  "_streamResponseChunks",
  // Ajv, how the class for JSON Schema 2020-12 is imported.
  "ajv/dist/2020.js",
]);

/** Known, and not public. */
const EXCEPTIONS: ReadonlySet<string> = new Set([
  // The index of ajv-formats loads the draft-07 class of Ajv as well, which nothing here uses.
  "ajv-formats/dist/formats.js",
]);

/** Names of the private parts, in order. */
export function privateParts(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const members = [...code.matchAll(UNDERSCORE)].map(([found]) => found.slice(found.indexOf("_")));
  const files = [...code.matchAll(DEEP_IMPORT)].map(([, file = ""]) => file);
  return [...members, ...files].filter((name) => !PUBLIC.has(name) && !EXCEPTIONS.has(name));
}
