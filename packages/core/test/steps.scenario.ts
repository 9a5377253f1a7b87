import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CrashScenario } from "../src/testing/index.ts";

/** Three steps, each done once: what is done is noted in a file, and a new start goes on after it. */
export const scenario: CrashScenario = ({ folder, point, given }) => {
  const file = join(folder, "steps");
  const done = existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  for (let step = done; step < 3; step++) {
    point(`before step ${step}`);
    appendFileSync(file, `${step}\n`);
    point(`after step ${step}`);
  }
  return { steps: readFileSync(file, "utf8").trim().split("\n"), given };
};

/** Passes a stage of another name each time. */
export const fickle: CrashScenario = ({ point }) => point(`stage of process ${process.pid}`);

export const failing: CrashScenario = () => {
  throw new Error("the scenario is broken");
};
