/** Builds the console into the server's package, unless what is there was built from what the sources are now. */
import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = ["apps/console/src/**/*", "apps/console/index.html", "apps/console/vite.config.ts"];
const BUILT = "packages/server/console/index.html";

if (isStale()) {
  console.error("Building the console …");
  const vite = join(ROOT, "node_modules/vite/bin/vite.js");
  execFileSync(process.execPath, [vite, "build", "apps/console", "--logLevel", "warn"], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

function isStale(): boolean {
  const built = changedAt(BUILT);
  return (
    built === undefined || globSync(SOURCES, { cwd: ROOT }).some((file) => (changedAt(file) ?? 0) > built)
  );
}

function changedAt(file: string): number | undefined {
  return statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs;
}
