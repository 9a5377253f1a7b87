import { gzipSync } from "node:zlib";
import { build } from "vite";

export interface BundleSize {
  /** Bytes. */
  minified: number;
  gzipped: number;
}

/** The size of an entry as a bundler ships it: one minified module with everything that it imports. */
export async function bundleSizeOf(entry: string): Promise<BundleSize> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["@toolrig/source"] },
    build: {
      write: false,
      minify: true,
      target: "es2023",
      modulePreload: false,
      rolldownOptions: { input: entry, preserveEntrySignatures: "strict" },
    },
  });
  if (Array.isArray(built) || !("output" in built)) throw new Error(`${entry} was built more than once.`);
  const [chunk, ...others] = built.output;
  if (others.length > 0) throw new Error(`${entry} was built into ${built.output.length} files.`);
  return { minified: Buffer.byteLength(chunk.code), gzipped: gzipSync(chunk.code).length };
}
