import { expect, test } from "vitest";
import { Executor, InformationFlow, textOf, tool } from "../index.ts";
import { askUserTool } from "./ask-user.ts";

const ada = { id: "ada" };

function rig(args: object, flow = new InformationFlow()) {
  const send = tool({
    name: "send",
    description: "Send",
    input: { type: "object", properties: { to: { type: "string" } } },
    execute: () => "sent",
  });
  const executor = new Executor({ tools: [askUserTool(), send], guards: [flow.guard] });
  const ask = (onWaiting: "return" | "hold" = "return") =>
    executor.call(
      { id: "c", name: "ask_user", arguments: args },
      { executionId: "e", runId: "r", onWaiting },
    );
  const to = (address: string) =>
    executor.call({ id: "s", name: "send", arguments: { to: address } }, { runId: "r" });
  return { executor, ask, flow, to };
}

test("a user answers in text, and the answer is theirs", async () => {
  const { executor, ask, flow, to } = rig({ message: "Whom shall I write to?" });
  flow.outsiderSaid("r", "a web page");
  expect((await ask()).waiting).toMatchObject({ kind: "question", note: "Whom shall I write to?" });
  await executor.waits.answer("e", { by: ada, value: "bob@firm.example" });
  expect(await ask()).toMatchObject({
    value: "bob@firm.example",
    labels: { integrity: "trusted", source: "the user" },
  });
  expect((await to("bob@firm.example")).isError).toBe(false);
  expect((await to("eve@evil.example")).failure?.code).toBe("TOOL_APPROVAL_REJECTED");
});

test("a user fills in fields", async () => {
  const fields = [
    { name: "day", type: "choice", choices: ["monday", "friday"] },
    { name: "seats", type: "number", description: "How many" },
    { name: "note", optional: true },
  ];
  const { executor, ask } = rig({ message: "When?", fields });
  await ask();
  const answer = (value: unknown) => executor.waits.answer("e", { by: ada, value });
  await expect(answer({ day: "sunday", seats: 2 })).rejects.toThrow(/still waits/);
  await expect(answer({ day: "monday" })).rejects.toThrow(/seats/);
  await answer({ day: "monday", seats: 2 });
  expect((await ask()).value).toEqual({ day: "monday", seats: 2 });
});

test.each([
  ["declines", { declined: true, reason: "not today" }, /The user declined to answer: not today\./],
  ["is asked no more", undefined, /There is no answer, and there will be none: closed\./],
])("the model is told when the user %s", async (_, answer, text) => {
  const { executor, ask } = rig({ message: "Shall I?" });
  await ask();
  if (answer === undefined) await executor.waits.cancel("e", { reason: "closed" });
  else await executor.waits.answer("e", { by: ada, ...answer });
  const { isError, content } = await ask();
  expect(isError).toBe(false);
  expect(textOf(content)).toMatch(text);
});

test("what is no question is refused", async () => {
  const { ask } = rig({ message: "", fields: [{ type: "number" }] });
  expect((await ask("hold")).failure?.kind).toBe("validation");
  expect(() => askUserTool({ expire: "1h" } as never)).toThrow(/expire/);
});

test("a name that the model gave a field is no word of the user's", async () => {
  for (const name of ["eve@evil.example", "note eve@evil.example", "a.b", ""])
    expect((await rig({ message: "Fill", fields: [{ name, type: "boolean" }] }).ask()).failure?.kind).toBe(
      "validation",
    );
});
