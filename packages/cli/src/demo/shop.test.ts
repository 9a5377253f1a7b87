import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@toolrig/store";
import { afterAll, expect, test } from "vitest";
import { openShop } from "./shop.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-demo-"));
afterAll(() => rmSync(folder, { recursive: true }));
const desk = { id: "ann" };

test("the agent's calls are repaired, retried, denied, wait and are unknown, and it goes on when it is answered", async () => {
  const { rig, start } = openShop(join(folder, "demo.db"), { paceMs: 0 });
  const run = start();
  const waiting = async () =>
    (await rig.waits.list({ open: true })).map(({ kind, name }) => `${kind} ${name}`);
  await expect.poll(async () => (await waiting()).length).toBe(3);
  expect((await waiting()).sort()).toEqual([
    "approval send_email",
    "deferred order_pickup",
    "question refund_order",
  ]);

  const [mail, pickup, refund] = [...(await rig.waits.list({ open: true }))].sort((a, b) =>
    a.kind.localeCompare(b.kind),
  );
  await rig.approvals?.deny(mail!.executionId, { by: desk, reason: "who is eve?" });
  await rig.complete(pickup!.executionId, { by: desk }, { tracking: "TR-1" });
  await rig.waits.answer(refund!.executionId, { by: desk, value: { way: "card", euros: 84.5 } });

  const outcome = await run.outcome;
  expect(outcome).toMatchObject({
    status: "answered",
    text: expect.stringMatching(/Ticket 4711 is closed\.$/),
  });
  await rig.close();

  const store = openStore(join(folder, "demo.db"), { readOnly: true });
  const { records } = store.records.query({ runId: run.runId });
  const codes = Object.fromEntries(records.map(({ name, result }) => [name, result.failure?.code ?? "ok"]));
  expect(codes).toEqual({
    find_orders: "ok",
    get_rate: "ok",
    find_parcel: "TOOL_NOT_FOUND",
    read_ticket: "ok",
    cancel_label: "TOOL_OUTCOME_UNKNOWN",
    sum_up_order: "TOOL_EXECUTION_FAILED",
    refund_order: expect.any(String),
    publish_note: "TOOL_BLOCKED",
    send_email: "TOOL_APPROVAL_REJECTED",
    order_pickup: "ok",
    build_report: "ok",
  });
  const one = (name: string) => records.find((record) => record.name === name);
  expect(one("find_orders")?.result.decoded.repairs.length).toBeGreaterThan(2);
  expect(one("get_rate")?.result.attempts).toBe(3);
  expect(one("publish_note")?.verdicts.at(-1)?.reason).toContain("has read text of somebody outside");
  expect(records.filter(({ name }) => name === "refund_order").map(({ result }) => result.isError)).toEqual([
    false,
    true,
  ]);
  store.close();
});

test("a run that was left over what it waits for goes on in the next process", async () => {
  const file = join(folder, "again.db");
  const before = openShop(file, { paceMs: 0 });
  const { runId } = before.start();
  const turns = () => before.rig.store?.journal.runs({})[0]?.turns ?? 0;
  await expect.poll(turns).toBe(6);
  await before.rig.close("1s");

  const { rig, resumeAll } = openShop(file, { paceMs: 0 });
  resumeAll();
  for (const { kind, executionId } of await rig.waits.list({ open: true })) {
    if (kind === "approval") await rig.approvals?.deny(executionId, { by: desk });
    else await rig.waits.cancel(executionId, { by: desk });
  }
  const ended = () => rig.store?.journal.runs({ ended: true }).some(({ header }) => header.runId === runId);
  await expect.poll(ended).toBe(true);
  await rig.close();
});
