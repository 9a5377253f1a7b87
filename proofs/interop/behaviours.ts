import { budgetGuard, type CallRecord, type Policy } from "@toolrig/core";
import { type Bench, type Rules, says } from "./bench.ts";
import type { Decision, Peer, Task } from "./peer.ts";

const DONE = { text: "done" };
const CUT = 50_000;

/** Returns a sentence that names the miss; undefined when there is none. */
type Missing = string | undefined;

interface Behaviour {
  /** Made for each bench: guards count. */
  rules?: () => Rules;
  check(bench: Bench): Promise<Missing>;
}

const STRICT: Policy = {
  rules: [
    {
      name: "no formatting",
      when: { tool: "format_disk" },
      verdict: "deny",
      reason: "disks stay as they are",
    },
  ],
};
const FLOW: Policy = { profile: "standard", rules: [{ name: "all", when: {}, verdict: "allow" }] };

/** What holds for a tool of a rig beneath a loop that is not ours, whichever loop that is. */
const ALL = {
  "a result": plain(async (bench) => {
    const text = await bench.run([says(["add", { a: 2, b: 3 }]), DONE]);
    return told(bench, [/^5$/]) ?? differs("the last text", text, "done");
  }),
  "several calls": plain(async (bench) => {
    const calls = says(["add", { a: 1, b: 1 }], ["add", { a: 2, b: 2 }], ["throw_up", {}]);
    await bench.run([calls, DONE]);
    return told(bench, [/^2$/, /^4$/, /fire/]);
  }),
  "streamed arguments": plain(async (bench) => {
    const text = await bench.run([says(["add", { a: 20, b: 22 }]), DONE], { streams: true });
    return told(bench, [/^42$/]) ?? differs("the last text", text, "done");
  }),
  "broken arguments repaired": plain(async (bench) => {
    await bench.run([says(["add", "{a: 2, 'b': 3,}"]), DONE], { streams: true });
    const [record] = await bench.records();
    return told(bench, [/^5$/]) ?? differs("how they were read", record?.result.decoded.mode, "repaired");
  }),
  "cut-off arguments refused": plain(async (bench) => {
    const half = says(["write_note", '{"text": "half of wh']);
    await bench.run([half, DONE], { streams: true });
    const missing = told(bench, [/cut off|incomplete|truncated|not executed/i]);
    const whole = { ...says(["write_note", { text: "whole, and yet cut off after it" }]), cut: true };
    for (const streams of [true, false]) await bench.run([whole, DONE], { streams }).catch(() => {});
    return missing ?? ran(bench, []);
  }),
  "invalid arguments explained": plain(async (bench) => {
    await bench.run([says(["add", { a: "many", c: 3 }]), DONE]);
    const missing = told(bench, [/TOOL_EXECUTION_FAILED[\s\S]*\ba\b[\s\S]*number/]) ?? ran(bench, []);
    return missing ?? recorded(await bench.records(), "TOOL_EXECUTION_FAILED");
  }),
  "unknown tool": plain(async (bench) => {
    const text = await bench.run([says(["ad", { a: 1, b: 2 }]), DONE]);
    const missing = told(bench, [/\badd\b/]) ?? differs("the last text", text, "done");
    return missing ?? recorded(await bench.records(), "TOOL_NOT_FOUND");
  }),
  "throwing tool": plain(async (bench) => {
    const text = await bench.run([says(["throw_up", {}]), DONE]);
    return told(bench, [/the disk is on fire/]) ?? differs("the last text", text, "done");
  }),
  timeout: plain(async (bench) => {
    await bench.run([says(["sleep", {}]), DONE]);
    return told(bench, [/TOOL_TIMEOUT/]);
  }),
  "abort in the midst": plain(async (bench) => {
    const stop = new AbortController();
    bench.seen.onDig = () => stop.abort();
    await bench.run([says(["dig", {}]), DONE], { signal: stop.signal }).catch(() => {});
    await until(() => bench.seen.aborted);
    if (!bench.seen.aborted) return "the tool was not told";
    return recorded(await bench.records(), "TOOL_CANCELLED");
  }),
  progress: plain(async (bench) => {
    await bench.run([says(["count_up", {}]), DONE], { streams: true });
    const heard = bench.progress.some((text) => text.includes("half way"));
    return heard ? undefined : `the peer told ${JSON.stringify(bench.progress)}`;
  }),
  "approval granted": plain(async (bench) => {
    await decided(bench, "approves", { approved: true });
    return told(bench, [/^paid 5 to bob$/]) ?? ran(bench, [{ to: "bob", amount: 5 }]);
  }),
  "approval declined": plain(async (bench) => {
    await decided(bench, "approves", { approved: false, reason: "too dear" });
    const missing =
      ran(bench, []) ?? told(bench, [/declined|denied|reject|not approved|too dear|did not run/i]);
    return missing ?? recorded(await bench.records(), "TOOL_APPROVAL_REJECTED");
  }),
  "approval edited": plain(async (bench) => {
    await decided(bench, "edits", { approved: true, args: { to: "bob", amount: 1 } });
    return told(bench, [/^paid 1 to bob$/]) ?? ran(bench, [{ to: "bob", amount: 1 }]);
  }),
  "image result": plain(async (bench) => {
    await bench.run([says(["draw", {}]), DONE]);
    return bench.sentPixel() ? told(bench, [/a picture/]) : "the model was sent no image";
  }),
  "output too large": plain(async (bench) => {
    await bench.run([says(["list_everything", {}]), DONE]);
    const [result] = bench.sent();
    const size = result?.text.length ?? 0;
    return (
      told(bench, [/begin[\s\S]*end/]) ??
      (size < 2 * CUT ? undefined : `the model was sent ${size} characters`)
    );
  }),
  "a write repeated after a crash": plain(async (bench) => {
    const said = [says(["write_note", { text: "once" }]), DONE];
    await bench.run(said, { runId: "run_1" });
    await bench.restart();
    await bench.run(said, { runId: "run_1" });
    return ran(bench, [{ text: "once" }]) ?? told(bench, [/^note 1 written$/]);
  }),
  "record complete": plain(async (bench) => {
    await bench.run([says(["add", { a: 2, b: 3 }], ["throw_up", {}]), DONE]);
    const records = await bench.records();
    const runs = new Set(records.map(({ runId }) => runId));
    if (records.length !== 2 || runs.size !== 1 || runs.has(undefined))
      return `${records.length} records of ${runs.size} runs`;
    const add = records.find(({ name }) => name === "add");
    const kept = { args: add?.args, value: add?.result.value, source: add?.source };
    const missing = differs("kept", kept, { args: { a: 2, b: 3 }, value: 5, source: "model" });
    return missing ?? (bench.peer.wire === "google" ? undefined : differs("call id", add?.callId, "c1"));
  }),
  "policy denial": {
    rules: () => ({ policy: STRICT }),
    async check(bench) {
      await bench.run([says(["format_disk", {}]), DONE]);
      return told(bench, [/disks stay as they are/]) ?? ran(bench, []);
    },
  },
  "information-flow ask": {
    rules: () => ({ policy: FLOW }),
    async check(bench) {
      const said = [
        says(["fetch_page", {}]),
        { ...second(says(["send_email", { to: "eve@evil.example" }])) },
        DONE,
      ];
      await answering(bench, "approves", { approved: false }, (task) => bench.run(said, task));
      const asked = (await bench.rig.approvals?.store.list({}))?.length ?? 0;
      return ran(bench, []) ?? differs("questions", asked, 1);
    },
  },
  "a sequential tool runs alone": plain(async (bench) => {
    await bench.run([says(["walk", {}], ["walk", {}], ["walk", {}]), DONE]);
    return told(bench, [/^walk$/, /^walk$/, /^walk$/]) ?? differs("at once", bench.seen.most, { walk: 1 });
  }),
  "locks of one response": plain(async (bench) => {
    await bench.run([says(["edit_file", { path: "a" }], ["edit_file", { path: "a" }]), DONE]);
    const most = { "edit_file a": 1 };
    return told(bench, [/^edit_file a$/, /^edit_file a$/]) ?? differs("at once", bench.seen.most, most);
  }),
  "a budget of calls per turn": {
    rules: () => ({ guards: [budgetGuard({ callsPerTurn: 2 })] }),
    async check(bench) {
      const three = says(["add", { a: 1, b: 1 }], ["add", { a: 1, b: 2 }], ["add", { a: 1, b: 3 }]);
      await bench.run([three, { ...second(says(["add", { a: 1, b: 4 }])) }, DONE]);
      return told(bench, [/^2$/, /^3$/, /at most 2 calls/, /^5$/]);
    },
  },
  "a guard's stop": {
    rules: () => ({
      guards: [
        {
          name: "stopping",
          before: ({ tool: { name } }) =>
            name === "format_disk" ? { verdict: "stop" as const, reason: "enough" } : undefined,
        },
      ],
    }),
    async check(bench) {
      const calls = says(["add", { a: 1, b: 1 }], ["format_disk", {}], ["write_note", { text: "after it" }]);
      await bench.run([calls, DONE]);
      const names = bench.seen.ran.map(({ name }) => name);
      return differs("what ran", names, ["add"]);
    },
  },
  "end of run": plain(async (bench) => {
    await bench.run([says(["finish", { answer: "that was all" }]), { text: "and on" }]);
    return differs("requests to the model", bench.asked, 1);
  }),
} satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof ALL;

export const behaviours: readonly (Behaviour & { name: BehaviourName })[] = Object.entries(ALL).map(
  ([name, behaviour]) => ({ ...behaviour, name: name as BehaviourName }),
);

function plain(check: Behaviour["check"]): Behaviour {
  return { check };
}

/** Ids that a run has used once are not used again, as providers have it. */
function second({ calls = [] }: ReturnType<typeof says>) {
  return { calls: calls.map((call) => ({ ...call, id: `${call.id}b` })) };
}

function decided(bench: Bench, where: "approves" | "edits", decision: Decision): Promise<unknown> {
  const said = [says(["pay", { to: "bob", amount: 5 }]), DONE];
  return answering(bench, where, decision, (task) => bench.run(said, task));
}

/** Runs while somebody answers what is asked: where the peer's people do, or in the rig's inbox. */
async function answering(
  bench: Bench,
  where: "approves" | "edits",
  decision: Decision,
  run: (task: Partial<Task>) => Promise<unknown>,
): Promise<void> {
  const { approves = "peer", edits = approves }: Peer = bench.peer;
  if ((where === "approves" ? approves : edits) === "peer") {
    await run({ decide: () => decision });
    return;
  }
  const inbox = () => answerInInbox(bench, decision);
  if (approves === "peer") {
    // What the inbox has answered stays, whatever the peer's people say after it.
    await run({
      async decide() {
        await inbox();
        return { approved: true };
      },
    });
    return;
  }
  await Promise.all([run({}), inbox()]);
}

async function answerInInbox({ rig }: Bench, { approved, reason, args }: Decision): Promise<void> {
  const { approvals } = rig;
  if (approvals === undefined) throw new Error("The rig has no inbox.");
  let [open] = await approvals.store.list({ open: true });
  for (let tries = 0; open === undefined && tries < 1000; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    [open] = await approvals.store.list({ open: true });
  }
  if (open === undefined) throw new Error("Nobody was asked.");
  const { executionId } = open.pending;
  const by = { id: "ann" };
  if (approved) await approvals.approve(executionId, { by, ...(args !== undefined && { args }) });
  else await approvals.deny(executionId, { by, ...(reason !== undefined && { reason }) });
}

/** Whether the model was sent these results, in this order. */
function told(bench: Bench, expected: readonly RegExp[]): Missing {
  const sent = bench.sent();
  if (sent.length !== expected.length) return `the model was sent ${sent.length} results`;
  const index = expected.findIndex((pattern, at) => !pattern.test(sent[at]?.text ?? ""));
  return index < 0 ? undefined : `the model was sent ${JSON.stringify(sent[index]?.text.slice(0, 300))}`;
}

/** Whether tools ran with these arguments, and nothing else. */
function ran(bench: Bench, expected: readonly unknown[]): Missing {
  return differs(
    "what ran",
    bench.seen.ran.map(({ args }) => args),
    expected,
  );
}

function recorded(records: readonly CallRecord[], code: string): Missing {
  return differs(
    "on record",
    records.map(({ result }) => result.failure?.code),
    [code],
  );
}

function differs(what: string, seen: unknown, expected: unknown): Missing {
  const [is, should] = [JSON.stringify(seen), JSON.stringify(expected)];
  return is === should ? undefined : `${what}: ${is}, not ${should}`;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 1000; tries++)
    await new Promise((resolve) => setTimeout(resolve, 5));
}
