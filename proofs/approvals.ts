/** Many approvals at once, answered by another process in random order, while the one that asks is killed again and again. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApprovalQueue } from "@toolrig/core";
import type { Grant } from "@toolrig/core/kit";
import { openStore } from "@toolrig/store";
import { runCases } from "./approvals/cases.ts";
import type { Proof } from "./proof.ts";

type Answer = "approve" | "edit" | "deny";

const ann = { id: "ann" };

function start(folder: string, count: number): ChildProcess {
  const program = join(import.meta.dirname, "approvals/payer.ts");
  return spawn(process.execPath, ["--conditions=@toolrig/source", program, folder, String(count)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const exited = (child: ChildProcess) => new Promise<void>((resolve) => child.once("exit", () => resolve()));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Answers one question, then tries to change the answer, to answer twice and to answer for other arguments. What was
 * denied or edited is granted afterwards: a process that is killed and asks again must still get the answer it had.
 */
async function answer(
  queue: ApprovalQueue,
  executionId: string,
  number: number,
  kind: Answer,
): Promise<number> {
  let refusals = 0;
  const refused = () => {
    refusals += 1;
  };
  await queue.approve(executionId, { by: ann, fingerprint: "of another call" }).catch(refused);
  if (kind === "deny") await queue.deny(executionId, { by: ann, reason: "no" });
  else if (kind === "edit") await queue.approve(executionId, { by: ann, args: { number, amount: 1 } });
  else await queue.approve(executionId, { by: ann });
  await queue.approve(executionId, { by: ann }).catch(refused);
  await queue.deny(executionId, { by: ann }).catch(refused);
  const constraints = { properties: { number: { const: number } } };
  const asked = await queue.store.get(executionId);
  if (kind !== "approve" && asked !== undefined) {
    const { name: tool, provider, definition, askedBy: guards } = asked.pending;
    const bound = { tool, provider, definition, guards, constraints } as Pick<Grant, "tool">;
    await queue.store.addGrant({ ...bound, id: `late-${number}`, by: ann, at: Date.now() });
  }
  return refusals;
}

function lines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

export const proof: Proof = {
  name: "approvals",
  claim: "No declined or edited-away argument ever ran and no approved call ran twice, killed in between",
  async run(mode, print) {
    const count = mode === "full" ? 200 : 40;
    const kills = mode === "full" ? 12 : 3;
    const folder = mkdtempSync(join(tmpdir(), "toolrig-approvals-"));
    const store = openStore(join(folder, "store.db"));
    const queue = new ApprovalQueue({ store: store.approvals });
    const kinds: Answer[] = Array.from(
      { length: count },
      (_, index) => (["approve", "edit", "deny"] as const)[index % 3]!,
    );
    let child = start(folder, count);
    let [killed, refusals, answered] = [0, 0, 0];
    while (answered < count) {
      const open = await store.approvals.list({ open: true });
      const some = open.filter(() => Math.random() < 0.3).sort(() => Math.random() - 0.5);
      for (const { pending } of some) {
        const number = Number(pending.executionId.split("-")[1]);
        refusals += await answer(queue, pending.executionId, number, kinds[number]!);
        answered += 1;
      }
      if (killed < kills && answered > (killed * count) / (kills + 1)) {
        child.kill("SIGKILL");
        await exited(child);
        child = start(folder, count);
        killed += 1;
      }
      await pause(30);
    }
    if (child.exitCode === null) await exited(child);

    const payments = lines(join(folder, "payments")).map(
      (line) => line.split(" ").map(Number) as [number, number],
    );
    const results = new Map(
      lines(join(folder, "results")).map((line) => line.split(" ") as [string, string]),
    );
    const misses: string[] = [];
    let unknown = 0;
    for (const [number, kind] of kinds.entries()) {
      const paid = payments.filter(([which]) => which === number).map(([, amount]) => amount);
      const result = results.get(String(number));
      const wanted = kind === "deny" ? [] : [kind === "edit" ? 1 : 1_000 + number];
      const open = result === "TOOL_OUTCOME_UNKNOWN";
      if (open) unknown += 1;
      const right = open ? paid.length === 0 || paid.join() === wanted.join() : paid.join() === wanted.join();
      const told = open || (kind === "deny" ? result === "TOOL_APPROVAL_REJECTED" : result === "ok");
      if (!right || !told) misses.push(`${kind} ${number}: paid [${paid}], result ${result ?? "none"}`);
    }
    const distinct = new Set(payments.map(([number]) => number)).size;
    store.close();
    const ways = await runCases(folder, print);
    rmSync(folder, { recursive: true, force: true });
    print(
      `${count} approvals, ${killed} kills, ${refusals} second, forged or contrary answers refused (of ${3 * count})`,
    );
    print(
      `${payments.length} payments made, ${unknown} with an outcome that nobody knows, ${payments.length - distinct} made twice`,
    );
    for (const miss of misses) print(`MISS ${miss}`);
    const failed = misses.length + (refusals === 3 * count ? 0 : 1) + ways.failed;
    return { passed: count - misses.length + ways.passed, failed };
  },
};
