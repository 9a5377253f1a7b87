import { Ajv } from "ajv";
import type { ScriptedCall, Task } from "../workload.ts";
import type { Peer } from "./peer.ts";

/** The lower bound of a call: JSON.parse, a compiled Ajv validator and an awaited function. No errors, no limits, no events. */
export function rawCall(task: Task): (call: ScriptedCall) => Promise<unknown> {
  const validate = new Ajv().compile(task.jsonSchema);
  return async (call) => {
    const args: unknown = JSON.parse(call.arguments);
    if (!validate(args)) throw new Error(`raw: the arguments of ${call.name} were refused`);
    return await task.run(args);
  };
}

/** The lower bound of a loop: raw calls, their results as text, and a list of messages. */
export const raw: Peer = (tasks) => {
  const byName = new Map(tasks.map((task) => [task.name, rawCall(task)]));
  const answer = async (call: ScriptedCall) => {
    const output = JSON.stringify(await byName.get(call.name)!(call));
    return { role: "tool", callId: call.id, output };
  };
  return async (script, turns = Number.MAX_SAFE_INTEGER) => {
    const messages: unknown[] = [{ role: "user", content: "go" }];
    const model = async (_history: readonly unknown[]) => script();
    for (let turn = 0; turn < turns; turn++) {
      const reply = await model(messages);
      messages.push({ role: "assistant", ...reply });
      if ("text" in reply) break;
      messages.push(...(await Promise.all(reply.calls.map(answer))));
    }
    return messages;
  };
};
