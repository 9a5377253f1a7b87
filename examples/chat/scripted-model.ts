import { setTimeout as sleep } from "node:timers/promises";
import { type EngineEvent, scriptedEngine } from "toolrig";

/** Wants to refund an order, then says how that went, a word at a time. */
export const scriptedModel = scriptedEngine(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== "tool") return refund();
  return last.results[0]?.isError
    ? say("All right, I have left order 1234 as it is.")
    : say("Done. The 20 of order 1234 are on their way back.");
});

async function* refund(): AsyncGenerator<EngineEvent> {
  yield* words("I can refund order 1234 for you.");
  const args = JSON.stringify({ order: "1234", amount: 20 });
  yield { type: "tool-call", id: "call_1", name: "refund_order", arguments: args };
  yield { type: "finish", reason: "tool-calls" };
}

async function* say(text: string): AsyncGenerator<EngineEvent> {
  yield* words(text);
  yield { type: "finish", reason: "stop" };
}

async function* words(text: string): AsyncGenerator<EngineEvent> {
  for (const word of text.split(/(?<= )/)) {
    yield { type: "text", text: word };
    await sleep(60);
  }
}
