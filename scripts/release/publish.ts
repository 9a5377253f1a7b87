/**
 * Publishes every package that the registry does not have yet, each behind those that it stands on: what an earlier attempt
 * published is left alone. For the release workflow, whose identity signs the provenance. Needs a build; `--dry-run` uploads
 * nothing.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "../packages/pack.ts";
import { problemsOf } from "../packages/problems.ts";
import { currentVersion, isPrerelease } from "./bump.ts";

const root = process.cwd();
const dryRun = process.argv.includes("--dry-run");
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_REF_NAME: tag } = process.env;
const scratch = mkdtempSync(join(tmpdir(), "toolrig-publish-"));
try {
  const version = currentVersion(root);
  if (server === undefined || repository === undefined)
    throw new Error(
      "Which repository publishes is told by GITHUB_SERVER_URL and GITHUB_REPOSITORY, which are not set.",
    );
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag ?? "missing"} and should be v${version}.`);
  const packed = await pack(root, scratch, `${server}/${repository}`);
  const problems = packed.flatMap((each) =>
    problemsOf(root, each).map((problem) => `${each.folder} ${problem}`),
  );
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const options = [
    "--tag",
    isPrerelease(version) ? "next" : "latest",
    ...(dryRun ? ["--dry-run"] : ["--provenance"]),
  ];
  for (const { manifest, file } of packed) {
    if (isPublished(`${manifest.name}@${version}`))
      console.log(`${manifest.name}@${version} is there already.`);
    else execFileSync("npm", ["publish", file, ...options], { stdio: "inherit" });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function isPublished(spec: string): boolean {
  const { status, stdout } = spawnSync("npm", ["view", spec, "version"], { encoding: "utf8" });
  return status === 0 && stdout.trim() !== "";
}
