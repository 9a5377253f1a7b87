import { expect, test } from "vitest";
import { tool } from "../../tool/define-tool.ts";
import { Executor } from "../executor.ts";

function scene(memo?: "shared") {
  let runs = 0;
  const profile = tool({
    name: "read_profile",
    description: "Read the caller's profile",
    input: { type: "object" },
    safety: { sideEffects: "read", idempotent: true },
    pure: true,
    ...(memo !== undefined && { memo }),
    execute: (_args, { principal }) => {
      runs += 1;
      return String(principal?.id);
    },
  });
  const executor = new Executor({ tools: [profile] });
  const ask = async (id: string, tenant = "a") =>
    (await executor.call({ id: "c", name: "read_profile" }, { principal: { id, tenant } })).value;
  return { ask, runs: () => runs };
}

test("a pure tool's answer for one principal is not another's", async () => {
  const { ask, runs } = scene();
  expect([await ask("ann"), await ask("eve"), await ask("ann")]).toEqual(["ann", "eve", "ann"]);
  expect(runs()).toBe(2);
  await ask("ann", "b");
  expect(runs()).toBe(3);
});

test("a pure tool that says so shares its answers", async () => {
  const { ask, runs } = scene("shared");
  expect([await ask("ann"), await ask("eve")]).toEqual(["ann", "ann"]);
  expect(runs()).toBe(1);
});
