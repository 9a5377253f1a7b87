import { afterAll, expect, test } from "vitest";
import { Sandbox } from "./sandbox.ts";

const KEY = "a key that only the host knows";
const sealing = new Sandbox({ size: 1, snapshotKey: KEY });
const plain = new Sandbox({ size: 1 });
afterAll(() => {
  sealing.close();
  plain.close();
});

async function pausedIn(sandbox: Sandbox, boundTo = "one"): Promise<Uint8Array> {
  const outcome = await sandbox.run({
    code: "const start = Math.random(); return [await tools.ask({}), start, Math.random()]",
    tools: ["ask"],
    boundTo,
    onCall: () => ({ status: "waiting" }),
  });
  if (outcome.status !== "paused") throw new Error(`it is ${outcome.status}`);
  return outcome.snapshot;
}

const answers = [{ id: 1, answer: { status: "done", value: "yes" } }] as const;
const resumed = (sandbox: Sandbox, snapshot: Uint8Array, boundTo = "one") =>
  sandbox.resume(snapshot, { answers, boundTo });

test("a sealed snapshot goes on with its key, and goes on the same each time", async () => {
  const snapshot = await pausedIn(sealing);
  const first = await resumed(sealing, snapshot);
  expect(first).toMatchObject({ status: "returned", value: ["yes", expect.any(Number), expect.any(Number)] });
  expect(await resumed(sealing, snapshot)).toMatchObject({
    value: (first as unknown as { value: unknown }).value,
  });
});

test("a snapshot is refused with another key, without one, and for something else", async () => {
  const snapshot = await pausedIn(sealing);
  const other = new Sandbox({ size: 1, snapshotKey: "another key" });
  for (const outcome of [
    await resumed(other, snapshot),
    await resumed(plain, snapshot),
    await resumed(sealing, await pausedIn(plain)),
    await resumed(sealing, snapshot, "two"),
  ])
    expect(outcome.status).toBe("refused");
  other.close();
});

test("a snapshot that was changed anywhere, or cut off, is refused", async () => {
  const snapshot = await pausedIn(plain);
  for (const part of [0, 0.0001, 0.001, 0.01, 0.5, 0.999, 1]) {
    const changed = Uint8Array.from(snapshot);
    const at = Math.round(part * (snapshot.length - 1));
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect((await resumed(plain, changed)).status, `changed at ${at}`).toBe("refused");
  }
  for (const length of [0, 5, 16, 47, 48, 1_000, snapshot.length - 1])
    expect((await resumed(plain, snapshot.subarray(0, length))).status, `cut to ${length}`).toBe("refused");
});

test("an answer to a call that is not waited for is a mistake", async () => {
  const snapshot = await pausedIn(plain);
  const wrong = [{ id: 7, answer: { status: "done" } }] as const;
  await expect(plain.resume(snapshot, { answers: wrong, boundTo: "one" })).rejects.toThrow(/waits for/);
});

test("what a run has used counts on after a pause", async () => {
  const snapshot = await pausedIn(plain);
  expect(await plain.resume(snapshot, { answers, boundTo: "one", limits: { steps: 1 } })).toMatchObject({
    status: "limit",
    limit: "steps",
  });
});

test("a snapshot over its limit ends the run", async () => {
  const outcome = await plain.run({
    code: "await tools.ask({})",
    tools: ["ask"],
    limits: { snapshot: 1_000 },
    onCall: () => ({ status: "waiting" }),
  });
  expect(outcome).toMatchObject({ status: "limit", limit: "snapshot" });
});
