/** The workflows are read by nobody here, so that at least what they say is looked at: that it can be read, is there and is pinned. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Workflow {
  on: object;
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}
interface Job {
  uses?: string;
  needs?: string;
  permissions?: Record<string, string>;
  "timeout-minutes"?: number;
  steps?: { uses?: string; run?: string }[];
}

const root = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const workflows = globSync(".github/workflows/*.yml", { cwd: root }).sort();
const read = (file: string): Workflow => parse(readFileSync(join(root, file), "utf8"));

test.each(workflows)("%s names what is there, pinned, and may do no more than read", (file) => {
  const { permissions, jobs } = read(file);
  expect(permissions).toEqual({ contents: "read" });
  for (const job of Object.values(jobs)) {
    const steps = job.steps ?? [];
    for (const used of [job.uses, ...steps.map(({ uses }) => uses)]) {
      if (used === undefined) continue;
      const isThere = used.startsWith("./") ? existsSync(join(root, used)) : /@v\d+\.\d+\.\d+$/.test(used);
      expect(isThere, used).toBe(true);
    }
    if (job.steps !== undefined) expect(job["timeout-minutes"]).toBeGreaterThan(0);
    for (const { run = "" } of steps) {
      for (const [, name = ""] of run.matchAll(/npm run ([\w:-]+)/g))
        expect(Object.keys(scripts)).toContain(name);
      for (const [script] of run.matchAll(/^\.\S+/gm))
        expect(existsSync(join(root, script)), script).toBe(true);
    }
  }
});

test("only what publishes has an identity, and it runs no tests", () => {
  const { on, jobs } = read(".github/workflows/release.yml");
  expect(on).toEqual({ push: { tags: ["v*"] } });
  const withIdentity = Object.entries(jobs).filter(([, job]) => job.permissions?.["id-token"] === "write");
  expect(withIdentity.map(([name]) => name)).toEqual(["publish"]);
  expect(jobs.publish?.needs).toBe("check");
  expect(jobs.check?.uses).toBe("./.github/workflows/ci.yml");
  const commands = jobs.publish?.steps?.flatMap(({ run }) => run ?? []);
  expect(commands?.filter((each) => each.startsWith("npm "))).toEqual([
    "npm ci",
    "npm run build",
    "npm run publish:packages",
  ]);
});

test("CI runs what people run before a change lands", () => {
  const { on, jobs } = read(".github/workflows/ci.yml");
  expect(Object.keys(on)).toEqual(["push", "pull_request", "workflow_call"]);
  expect(jobs.check?.steps?.at(-1)?.run).toBe(".ci/run");
});
