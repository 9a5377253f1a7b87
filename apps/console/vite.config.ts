import { resolve } from "node:path";
import { defineConfig } from "vite";

const SERVER = process.env.TOOLRIG_SERVER ?? "http://127.0.0.1:7420";

/**
 * Builds into the server's package, which serves it. Nothing is inlined, so that a policy of `default-src 'self'` holds:
 * every script and style is a file with its hash in its name.
 */
export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: resolve(import.meta.dirname, "../../packages/server/console"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `npm run dev` of the console beside a server that listens at TOOLRIG_SERVER.
  server: { proxy: { "/api": { target: SERVER, changeOrigin: true, headers: { origin: SERVER } } } },
});
