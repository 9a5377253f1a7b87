import { Executor, MemoryCallStore, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { Seats } from "./seats.ts";

const ping = tool({ name: "ping", description: "Ping", input: { type: "object" }, execute: () => "pong" });

test("a run is known by what was given, by the peer's own name for it, or by an object that lives as long", () => {
  const executor = new Executor({ tools: [ping] });
  const found = new Seats<unknown>(executor);
  const [one, other] = [{}, {}];
  expect(found.of(undefined, one)).toBe(found.of(undefined, one));
  expect(found.of(undefined, one).runId).not.toBe(found.of(undefined, other).runId);
  expect(found.of(undefined, "thread").runId).toBe("thread");
  expect(found.of(undefined, undefined)).toBe(found.of(undefined, undefined));
  expect(new Seats<unknown>(executor, "given").of(undefined, "thread").runId).toBe("given");
  expect(new Seats<string>(executor, (peer) => `run of ${peer}`).of("ada", one).runId).toBe("run of ada");
});

test("whoever a run is made for is on record, whichever run it is", async () => {
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: [ping], store });
  const seats = new Seats<unknown>(executor, { principal: { id: "ada" } });
  await seats.of(undefined, "a").call({ id: "1", name: "ping", arguments: {} });
  await seats.of(undefined, {}).call({ id: "2", name: "ping", arguments: {} });
  await executor.drain();
  expect(store.records().map(({ principal }) => principal?.id)).toEqual(["ada", "ada"]);
});

test("each call is made for whom it is said to be, in whichever run it is", async () => {
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: [ping], store });
  const byUser = new Seats<string>(executor, (user) => ({ principal: { id: user } }));
  const shared = new Seats<string>(executor, (user) => ({ runId: "shared", principal: { id: user } }));
  const narrowed = new Seats<string>(executor, (user) => ({
    runId: "n",
    allow: user === "ann" ? [] : ["no"],
  }));
  const found = {};
  const called: string[] = [];
  const callBy = async (seats: Seats<string>, of: string | object | undefined) => {
    for (const user of ["ann", "bob", "ann"]) {
      const seat = seats.of(user, of);
      const args = { by: called.length };
      const result = await seat.call({ id: "call_0", name: "ping", arguments: args });
      called.push(`${user} ${result.value ?? result.failure?.code}`);
    }
  };
  await callBy(byUser, undefined);
  await callBy(byUser, "thread");
  await callBy(byUser, found);
  await callBy(shared, undefined);
  await callBy(narrowed, undefined);
  expect(called.slice(0, 12)).toEqual(Array(4).fill(["ann pong", "bob pong", "ann pong"]).flat());
  expect(called.slice(12)).toEqual(["ann pong", "bob TOOL_NOT_FOUND", "ann pong"]);
  await executor.drain();
  const by = store.records().map(({ principal }) => principal?.id);
  expect(by.slice(0, 12)).toEqual(Array(4).fill(["ann", "bob", "ann"]).flat());
  const runs = store.records().map(({ runId }) => runId);
  expect([runs[0] === runs[1], runs[0] === runs[2]]).toEqual([false, true]);
  expect(new Set(runs.slice(6, 9)).size).toBe(1);
});

test("what is no run is refused", () => {
  const executor = new Executor({ tools: [ping] });
  expect(() => new Seats(executor, { runid: "x" } as never)).toThrow('Did you mean "runId"?');
});
