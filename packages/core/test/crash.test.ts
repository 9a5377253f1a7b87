import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { crashEverywhere, crashSite } from "../src/testing/index.ts";

const OPTIONS = {
  module: new URL("./steps.scenario.ts", import.meta.url),
  execArgv: [],
  given: { any: "thing" },
};

test("a scenario is killed at each of its stages and started again", async () => {
  const killed: string[] = [];
  const stages = await crashEverywhere(OPTIONS, ({ stage, index, restart, folder }) => {
    killed.push(stage);
    expect(existsSync(folder)).toBe(true);
    expect(restart.killed).toBe(false);
    expect(restart.answer).toEqual({ steps: ["0", "1", "2"], given: { any: "thing" } });
    // Every step but those noted before the kill is done after it.
    expect(restart.stages.length).toBe(6 - 2 * Math.floor(index / 2));
  });
  const expected = [0, 1, 2].flatMap((step) => [`before step ${step}`, `after step ${step}`]);
  expect(stages).toEqual(expected);
  expect(killed).toEqual(expected);
});

test("a check that fails ends it", async () => {
  const check = () => {
    throw new Error("not as it should be");
  };
  await expect(crashEverywhere(OPTIONS, check)).rejects.toThrow("not as it should be");
});

test("a scenario that differs from start to start is reported", async () => {
  await expect(crashEverywhere({ ...OPTIONS, name: "fickle" }, () => {})).rejects.toThrow(
    /The scenario is not the same each time: stage 1 was "stage of process/,
  );
});

test("a scenario that fails is reported with what it said, one that is not there by name", async () => {
  const failing = crashSite({ ...OPTIONS, name: "failing" });
  await expect(failing.start()).rejects.toThrow(/exit code 1 after 0 stages\.[\s\S]*the scenario is broken/);
  failing.remove();
  const missing = crashSite({ ...OPTIONS, name: "nowhere" });
  await expect(missing.start()).rejects.toThrow(/exports no function called nowhere/);
  missing.remove();
});

test("a kill beyond the last stage does not happen", async () => {
  const site = crashSite(OPTIONS);
  expect(await site.start(99)).toMatchObject({ killed: false, stages: { length: 6 } });
  site.remove();
});
