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

test("what is no run is refused", () => {
  const executor = new Executor({ tools: [ping] });
  expect(() => new Seats(executor, { runid: "x" } as never)).toThrow('Did you mean "runId"?');
});
