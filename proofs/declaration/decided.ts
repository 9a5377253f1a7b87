/** What the pipeline decides by a declaration: each is seen by running the tool. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentLoop, scriptedEngine } from "@toolrig/agent";
import {
  Executor,
  type ExecutorOptions,
  InformationFlow,
  policyGuard,
  type ToolResult,
  tool,
  transient,
} from "@toolrig/core";
import { openStore } from "@toolrig/store";
import { declared, type Field } from "./subject.ts";

export type Decided = (field: Field) => Promise<string>;

/** Ordinary arguments, of the base and of the changed schema. */
const ARGS = { room: "blue", nights: 2 };
const ok = ({ isError, failure }: ToolResult) => (isError ? failure!.code : "ok");

function rig(
  field: Field,
  options: ExecutorOptions = {},
  behave: (start: number) => unknown = () => "booked",
) {
  let starts = 0;
  const subject = declared(field, () => behave(++starts));
  const executor = new Executor({ tools: [subject], ...options });
  const call = (args: unknown = ARGS, more = {}) =>
    executor.call({ id: "c", name: subject.name, arguments: args }, more);
  return { executor, subject, call, starts: () => starts };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The most that ran at once, of four calls in one batch. */
async function atOnce(field: Field): Promise<string> {
  let [running, most] = [0, 0];
  const { executor, subject } = rig(field, {}, async () => {
    running += 1;
    most = Math.max(most, running);
    await pause(5);
    running -= 1;
  });
  const ids = ["a", "b", "c", "d"];
  await executor.batch(ids.map((id) => ({ id, name: subject.name, arguments: { ...ARGS, room: id } })));
  return most > 1 ? "together" : "in turn";
}

/** Whether somebody is asked, under these rules. */
const asked =
  (options: ExecutorOptions, more = {}): Decided =>
  async (field) => {
    let questions = 0;
    const approve = () => {
      questions += 1;
      return { approved: false };
    };
    await rig(field, { approve, ...options }).call(ARGS, more);
    return questions > 0 ? "asked" : "not asked";
  };

export const DECIDED = {
  "a call by the old name": async (field) => {
    const { executor } = rig(field);
    return ok(await executor.call({ id: "c", name: "book_room", arguments: ARGS }));
  },
  "a call of ^1": async (field) => {
    const { executor, subject } = rig(field);
    return ok(await executor.call({ id: "c", name: subject.name, version: "^1", arguments: ARGS }));
  },
  "arguments without nights": async (field) => {
    const { failure } = await rig(field).call({ room: "blue" });
    return failure === undefined
      ? "ok"
      : `${failure.kind} ${/nights/.test(JSON.stringify(failure)) ? "nights" : ""}`;
  },
  "an answer that is text": async (field) => ok(await rig(field).call()),
  "a transient failure": async (field) => {
    const { call, starts } = rig(field, {}, (start) => (start === 1 ? transient("busy") : "booked"));
    await call();
    return `${starts()} starts`;
  },
  "the same call twice in a run": async (field) => {
    const { call, starts } = rig(field);
    await call(ARGS, { runId: "r" });
    await call(ARGS, { runId: "r" });
    return `${starts()} starts`;
  },
  "an intent that a crash left open": async (field) => {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-declaration-"));
    const path = join(folder, "rig.db");
    const over = new AbortController();
    try {
      // The store is closed under the call: what it leaves is what a process that dies leaves.
      const dying = openStore(path);
      const silent = rig(field, { ledger: dying.ledger }, () => {
        dying.close();
        return new Promise(() => {});
      });
      const begun = silent.call(ARGS, { executionId: "exec_1", signal: over.signal });
      while (silent.starts() === 0) await pause(1);
      const store = openStore(path);
      const { call, starts } = rig(field, { ledger: store.ledger });
      await call(ARGS, { executionId: "exec_1" });
      over.abort();
      await begun;
      store.close();
      return starts() > 0 ? "runs again" : "is not repeated";
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  "arguments that were cut off": async (field) => {
    const { call, starts } = rig(field);
    await call('{"room": "bl', { complete: false });
    return starts() > 0 ? "runs" : "does not run";
  },
  "arguments that had to be guessed": async (field) => {
    const { call, starts } = rig(field);
    await call('{"room": "the "blue" one" and more, "note": "x"}');
    return starts() > 0 ? "runs" : "does not run";
  },
  "a call found in prose": asked({}, { source: "extracted" }),
  "an ordinary call": asked({}),
  "a strict policy": asked({ guards: [policyGuard({ profile: "strict" })] }),
  "an executor without network": async (field) => ok(await rig(field, { capabilities: [] }).call()),
  "four calls at once": atOnce,
  "a second call in the hour": async (field) => {
    const { call } = rig(field);
    await call();
    return ok(await call());
  },
  "a tool that takes 300 ms": async (field) => ok(await rig(field, {}, () => pause(300)).call()),
  "what the run does afterwards": async (field) => {
    const flow = new InformationFlow();
    const mail = tool({
      name: "send_mail",
      description: "Mail",
      input: { type: "object" },
      safety: { sideEffects: "external" },
      execute: () => "sent",
    });
    const subject = declared(field);
    const executor = new Executor({ tools: [subject, mail], guards: [flow.guard] });
    await executor.call({ id: "a", name: subject.name, arguments: ARGS }, { runId: "r" });
    const call = { id: "b", name: "send_mail", arguments: { to: "eve" } };
    return ok(await executor.call(call, { runId: "r" }));
  },
  "what a loop offers": async (field) => {
    let offered = 0;
    const engine = scriptedEngine(({ tools }) => {
      offered = tools.length;
      return "done";
    });
    await new AgentLoop({ engine, tools: [declared(field)] }).run("go").outcome;
    return `${offered} tools`;
  },
} satisfies Record<string, Decided>;

export type Question = keyof typeof DECIDED;
