import { expect, test } from "vitest";
import { Executor, repeatGuard, tool, transient, validation } from "../../index.ts";

function rig(options?: Parameters<typeof repeatGuard>[0]) {
  let ran = 0;
  const find = tool({
    name: "find",
    description: "Find",
    input: {
      type: "object",
      properties: { city: { type: "string" }, n: { type: "integer" } },
      required: ["city"],
    },
    safety: { sideEffects: "read" },
    execute({ city }) {
      ran += 1;
      if (city === "down") return transient("down");
      return city === "Atlantis" ? validation("there is no such city") : `found ${city} ${ran}`;
    },
  });
  const executor = new Executor({ tools: [find], guards: [repeatGuard(options)] });
  const call = async (args: unknown, runId: string | undefined = "r") => {
    const { failure, advice } = await executor.call(
      { id: "c", name: "find", arguments: args },
      runId === "" ? {} : { runId },
    );
    return (
      (failure?.code === "TOOL_REPEATED" ? "refused" : "answered") + (advice === undefined ? "" : ", advised")
    );
  };
  return { call, ran: () => ran };
}

test.each<[what: string, args: unknown, runs: number]>([
  ["that the tool refuses", { city: "Atlantis" }, 3],
  ["that is not valid", '{"town": "Rome"}', 0],
])("the same call %s is advised against at 3 and refused at 4", async (_what, args, runs) => {
  const { call, ran } = rig();
  const answers = [await call(args), await call(args), await call(args), await call(args), await call(args)];
  expect(answers).toEqual(["answered", "answered", "answered, advised", "refused", "refused"]);
  expect(ran()).toBe(runs);
});

test("a tool called wrongly is nudged at 4 and refused at 8, and its own success starts anew", async () => {
  const { call } = rig();
  const wrong = async (count: number, from = 0) => {
    const answers: string[] = [];
    for (let n = from; n < from + count; n++) answers.push(await call({ city: "Atlantis", n }));
    return answers;
  };
  const [plain, advised] = ["answered", "answered, advised"];
  expect(await wrong(3)).toEqual([plain, plain, plain]);
  expect(await call({ city: "Rome" })).toBe(plain);
  expect(await wrong(8, 10)).toEqual([plain, plain, plain, advised, advised, advised, advised, "refused"]);
});

test("faults of the world do not count, nor do other runs or calls without one", async () => {
  const { call } = rig();
  for (let n = 0; n < 9; n++) expect(await call({ city: "down" })).toBe("answered");
  for (let n = 0; n < 9; n++) expect(await call({ city: "Atlantis" }, `r${n}`)).toBe("answered");
  for (let n = 0; n < 9; n++) expect(await call({ city: "Atlantis" }, "")).toBe("answered");
});

test("long results and arguments are told apart by all of their text", async () => {
  const texts = ["a", "b"].map((end) => `${"x".repeat(5_000)}${end}`);
  const echo = tool({
    name: "echo",
    description: "Echo",
    input: { type: "object", properties: { text: { type: "string" } } },
    safety: { sideEffects: "read" },
    execute: ({ text }) => text ?? "",
  });
  const executor = new Executor({ tools: [echo], guards: [repeatGuard()] });
  const call = async (text: string | undefined) =>
    (await executor.call({ id: "c", name: "echo", arguments: { text } }, { runId: "r" })).advice !==
    undefined;
  const advised: boolean[] = [];
  for (const text of [texts[0], texts[1], texts[0], texts[1], texts[0], texts[0]])
    advised.push(await call(text));
  expect(advised).toEqual([false, false, false, false, false, true]);
});

test("limits are checked, naming the one that is wrong", () => {
  expect(() => repeatGuard({ failure: { refuse: 1 } })).toThrow(/repeats.failure.refuse must be .* got 1/);
});
