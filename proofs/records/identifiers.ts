import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallOptions, type RedactOptions, ToolrigError, tool } from "@toolrig/core";
import { openStore, type Store } from "@toolrig/store";
import { rig } from "toolrig";

export interface IdentifierRow {
  what: string;
  saw: string;
  ok: boolean;
  skipped?: true;
}

const CALLS = 20;
const TOKEN = `ghp_${"aZ3bY8cX1dW6eV9fU2gT7hS4iR5jQ0kPlOmN"}`;

/** Rules that match identifiers, hashes, times and names of tools: calls are made, found by their ids and recorded once. */
const MATCHED: readonly { what: string; redact: RedactOptions; options?: (n: number) => CallOptions }[] = [
  { what: "8 digits, as generated ids have", redact: { patterns: [/\b\d{8}\b/] } },
  { what: "hex, as hashes and generated ids are", redact: { patterns: [/[0-9a-f]{16,}/] } },
  { what: "13 digits, as times have", redact: { patterns: [/\d{13}/] } },
  { what: "the name of the tool", redact: { patterns: [/pay/], values: ["pay_bill"] } },
  {
    what: "hex, in the ids of runs and requests that are made here",
    redact: { patterns: [/[0-9a-f]{16,}/] },
    options: (n) => ({ runId: `run_0a237f75d9df4b7c9c26.0000000${n % 10}`, executionId: sha(n) }),
  },
];

/** Ids that hold a secret: the call is refused, and nothing of the secret is stored. */
const REFUSED: readonly { what: string; redact: RedactOptions; options: CallOptions; secret: string }[] = [
  {
    what: "a value in an execution id",
    redact: { values: ["order-77"] },
    options: { executionId: "refund-order-77-3" },
    secret: "order-77",
  },
  {
    what: "a pattern in an execution id",
    redact: { patterns: [/\b\d{8}\b/] },
    options: { executionId: "refund-12345678" },
    secret: "12345678",
  },
  { what: "a known shape in an execution id", redact: {}, options: { executionId: TOKEN }, secret: TOKEN },
  { what: "a known shape in a run id", redact: {}, options: { runId: `run ${TOKEN}` }, secret: TOKEN },
  { what: "a known shape in a request id", redact: {}, options: { requestId: TOKEN }, secret: TOKEN },
];

function sha(n: number): string {
  return n.toString(16).padStart(2, "0").repeat(32);
}

export async function identifierTable(): Promise<IdentifierRow[]> {
  const rows: IdentifierRow[] = [];
  for (const { what, redact, options = () => ({}) } of MATCHED) {
    const saw = await inFolder((path) => recorded(path, redact, options));
    rows.push({ what: `a rule that matches ${what}`, ...saw });
  }
  for (const { what, redact, options, secret } of REFUSED)
    rows.push({ what, ...(await inFolder((path) => refused(path, redact, options, secret))) });
  return rows;
}

async function recorded(path: string, redact: RedactOptions, options: (n: number) => CallOptions) {
  const ids = await paid(path, redact, options);
  const store = openStore(path);
  const found = ids.filter((id) => store.records.get(id).records.length === 1).length;
  const all = countOf(store);
  const { ok } = store.records.verify();
  store.close();
  return {
    saw: `${found} of ${CALLS} found by id, ${all - CALLS} recovered after a restart, audit ${ok ? "intact" : "broken"}`,
    ok: found === CALLS && all === CALLS && ok,
  };
}

async function paid(path: string, redact: RedactOptions, options: (n: number) => CallOptions) {
  const house = rig({ store: path, redact, tools: [payBill()] });
  const ids: string[] = [];
  for (let n = 0; n < CALLS; n++) {
    const { executionId } = await house.call(
      { id: `c${n}`, name: "pay_bill", arguments: { amount: n } },
      options(n),
    );
    ids.push(executionId);
  }
  await house.close();
  return ids;
}

async function refused(path: string, redact: RedactOptions, options: CallOptions, secret: string) {
  const house = rig({ store: path, redact, tools: [payBill()] });
  const error = await Promise.resolve()
    .then(() => house.call({ id: "c", name: "pay_bill", arguments: { amount: 1 } }, options))
    .catch((thrown: unknown) => thrown);
  await house.close();
  const store = openStore(path);
  const stored = countOf(store);
  store.close();
  const isRefused = error instanceof ToolrigError && error.code === "OPTION_INVALID";
  const isTold = isRefused && !error.message.includes(secret);
  return {
    saw: isRefused ? `refused${isTold ? "" : ", with the secret"}, ${stored} records` : "not refused",
    ok: isTold && stored === 0,
  };
}

function countOf(store: Store): number {
  return [...store.records.all()].length;
}

function payBill() {
  return tool({
    name: "pay_bill",
    description: "Pay a bill",
    input: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
    safety: { sideEffects: "external", idempotent: false },
    execute: () => "paid",
  });
}

async function inFolder<Row>(work: (path: string) => Promise<Row>): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-ids-"));
  try {
    return await work(join(folder, "rig.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
