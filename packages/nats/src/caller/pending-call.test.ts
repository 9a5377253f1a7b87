import { expect, test } from "vitest";
import { PendingCall } from "./pending-call.ts";

const pending = () =>
  new PendingCall({
    executionId: "e",
    key: "id.e",
    call: { id: "c", name: "echo" },
    fingerprint: "own",
    sent: undefined,
  });

test("what is heard of a start counts only if it is true, and is looked into only when somebody asks", () => {
  let asked = 0;
  const say = (truth: boolean) => () => {
    asked += 1;
    return truth ? "own" : undefined;
  };
  const call = pending();
  call.hear(say(false));
  expect(asked).toBe(0);
  expect([call.begun, call.accepted, asked]).toEqual([false, false, 1]);
  call.hear(say(true));
  expect([call.accepted, call.begun, asked]).toEqual([true, true, 2]);
  call.hear(say(false));
  expect([call.begun, asked]).toEqual([true, 2]);
});

test("a lie does not hide the truth that came before or after it", () => {
  for (const heard of [
    [true, false],
    [false, true],
  ]) {
    const call = pending();
    for (const truth of heard) call.hear(() => (truth ? "own" : undefined));
    expect(call.begun).toBe(true);
  }
});

test("the start of another call is no start of this one, whichever was heard first", () => {
  for (const [heard, own] of [
    [["other"], false],
    [["other", "own"], true],
    [["own", "other"], true],
  ] as const) {
    const call = pending();
    for (const fingerprint of heard) call.hear(() => fingerprint);
    expect([call.begun, call.mayHaveRun, call.begunAs]).toEqual([true, own, heard[0]]);
  }
});

test("a queue that took a call does not say that a worker began it", () => {
  const call = pending();
  call.accept();
  expect([call.accepted, call.begun]).toEqual([true, false]);
});
