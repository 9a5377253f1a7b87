import { expect, test } from "vitest";
import { Executor, tool } from "../index.ts";
import { onWaitingOf } from "./on-waiting.ts";

test("earlier words for what becomes of a wait mean what they meant", () => {
  expect(
    [undefined, "hold", "return", "continue", "leave", "suspend"].map((word) => onWaitingOf(word as never)),
  ).toEqual(["hold", "hold", "return", "continue", "continue", "return"]);
});

test.each(["continue", "leave"] as const)(
  "a call that is made to %s goes on by itself",
  async (onWaiting) => {
    const ran: string[] = [];
    const book = tool({
      name: "book",
      description: "Book",
      input: { type: "object" },
      async execute(_, { ask }) {
        ran.push((await ask({ message: "Which day?" })).status);
      },
    });
    const executor = new Executor({ tools: [book] });
    const { waiting, executionId } = await executor.call({ id: "c", name: "book" }, { onWaiting });
    expect(waiting?.kind).toBe("question");
    await executor.waits.answer(executionId, { by: { id: "ann" }, value: "monday" });
    await expect.poll(() => ran).toEqual(["answered"]);
  },
);
