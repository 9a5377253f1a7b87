import { build } from "vite";

/** Returns the page's program as one file for browsers. Your own app has a framework that does this. */
export async function bundlePage(file: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "react", development: false } },
    define: { "process.env.NODE_ENV": '"production"' },
    build: { write: false, lib: { entry: file, formats: ["es"], fileName: "page" } },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (output === undefined || !("output" in output)) throw new Error(`${file} was not bundled.`);
  return output.output[0].code;
}
