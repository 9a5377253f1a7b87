import { createHash } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import { NatsWorker } from "@toolrig/nats";
import type { ServedHttp } from "@toolrig/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../../scripts/start-nats.ts";
import { rig, tool } from "../../index.ts";
import { fleetView } from "./fleet-view.ts";

const greet = tool({
  name: "greet",
  description: "Greet somebody",
  input: { type: "object" },
  safety: { sideEffects: "none", idempotent: true },
  execute: () => "hello",
});

let nats: NatsProcess;
let http: ServedHttp;
const ends: (() => unknown)[] = [];
beforeAll(async () => {
  nats = await startNats();
  const at = { nats: { servers: nats.url } };
  const worker = new NatsWorker({ ...at, tools: [greet] });
  await worker.start();
  const fleet = await fleetView(at);
  const own = rig({ tools: [greet] });
  const tokens = ["admin", "read"].map((scope) => ({
    sha256: createHash("sha256").update(scope).digest("hex"),
    scopes: [scope as "admin" | "read"],
  }));
  http = await own.serve({ port: 0, console: false, mcp: false, fleet, tokens });
  ends.push(
    () => http.close(0),
    () => own.close(),
    () => fleet.close(),
    () => worker.stop("1s"),
    () => nats.close(),
  );
});
afterAll(async () => {
  for (const end of ends) await end();
});

async function ask(path: string, method = "GET", as = "admin") {
  const answer = await fetch(`${http.url}/api/v1/fleet${path}`, {
    method,
    headers: { authorization: `Bearer ${as}` },
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}

const letters = async (): Promise<string[]> =>
  (await ask("")).body.deadLetters.map(({ id }: { id: string }) => id);

test("a dead letter that holds no call is dropped by an admin, and is not sent again", async () => {
  const wire = await connect({ servers: nats.url });
  ends.unshift(() => wire.close());
  wire.publish("tool.execute.greet", "no call at all");
  await expect.poll(letters).toEqual(["1"]);
  for (const [path, method] of [
    ["/dead-letters/1/retry", "POST"],
    ["/dead-letters/1", "DELETE"],
  ] as const) {
    expect((await ask(path, method, "read")).status).toBe(403);
    for (const none of ["99", "0", "x"])
      expect((await ask(path.replace("1", none), method)).body.code, none).toBe("NOT_FOUND");
  }
  // No call can be made of it, not even in the name of the one who asks.
  expect((await ask("/dead-letters/1/retry", "POST")).body.code).toBe("CONFLICT");
  expect((await ask("/dead-letters/1", "DELETE")).status).toBe(204);
  expect(await letters()).toEqual([]);
});

test("a call that is sent again is an execution of its own", async () => {
  const wire = await connect({ servers: nats.url });
  ends.unshift(() => wire.close());
  const stray = JSON.stringify({ executionId: "old", call: { id: "c", name: "gone_tool", arguments: {} } });
  wire.publish("tool.execute.greet", stray);
  await expect.poll(letters).toHaveLength(1);
  const [id] = await letters();
  const { status, body } = await ask(`/dead-letters/${id}/retry`, "POST");
  expect([status, body.executionId]).toEqual([200, expect.stringMatching(/^exec_/)]);
});
