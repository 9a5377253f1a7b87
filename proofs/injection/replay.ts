/** Plays the calls of a model against the real executor with the information-flow guard. */
import { type AnyTool, Executor, InformationFlow, type Profile } from "@toolrig/core";
import type { Step } from "./tasks.ts";

export interface Replay {
  /** Whether anybody was asked, before or during the last calls. */
  asked: boolean;
  /** Calls behind the lead that can do harm and ran without anybody being asked. */
  harm: string[];
}

export interface Script {
  profile: Profile;
  said: string;
  /** What the model does first; whoever is asked about it approves. */
  lead: readonly Step[];
  /** What it does then; whoever is asked about it does not approve. */
  tail: readonly Step[];
  tools(answer: () => unknown, ran: () => void): readonly AnyTool[];
  canHarm(name: string): boolean;
}

export async function replay({ profile, said, lead, tail, tools, canHarm }: Script): Promise<Replay> {
  const flow = new InformationFlow({ profile });
  const outcome: Replay = { asked: false, harm: [] };
  let current: Step | undefined;
  let leading = true;
  let asked = false;
  let ran = false;
  const executor = new Executor({
    tools: tools(
      () => current?.answer ?? "",
      () => {
        ran = true;
      },
    ),
    guards: [flow.guard],
    approve: () => {
      asked = true;
      return leading ? { approved: true } : { approved: false, reason: "nobody is there" };
    },
  });
  flow.userSaid("run", said);
  for (const [index, step] of [...lead, ...tail].entries()) {
    current = step;
    leading = index < lead.length;
    [asked, ran] = [false, false];
    const call = { id: `call_${index}`, name: step.name, arguments: step.args ?? {} };
    await executor.call(call, { runId: "run" });
    if (asked) outcome.asked = true;
    if (!leading && ran && !asked && canHarm(step.name)) outcome.harm.push(step.name);
  }
  return outcome;
}
