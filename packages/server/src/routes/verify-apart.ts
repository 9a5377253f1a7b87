import type { Store } from "@toolrig/store";
import type { AuditVerdict } from "../wire.ts";

const underWay = new WeakMap<Store, Promise<AuditVerdict>>();

/** Whether the chain is whole. While one looks, others wait for the same answer: it reads everything there is. */
export function verifyApart(store: Store): Promise<AuditVerdict> {
  let looking = underWay.get(store);
  if (looking === undefined) {
    looking = verdictOf(store).finally(() => underWay.delete(store));
    underWay.set(store, looking);
  }
  return looking;
}

async function verdictOf(store: Store): Promise<AuditVerdict> {
  const began = performance.now();
  const head = store.records.head();
  const audit = await store.verifyApart();
  const [oldest] = store.records.query({ order: "oldest", limit: 1 }).records;
  const [newest] = store.records.query({ limit: 1 }).records;
  return {
    intact: audit.ok,
    records: audit.checked,
    ...(oldest !== undefined && { first: { seq: audit.firstSeq, at: oldest.endTime } }),
    ...(newest !== undefined && { last: { seq: head.seq, at: newest.endTime, hash: head.hash } }),
    keyed: store.records.keyed,
    problems: audit.problems.map(({ seq, message }) => ({ seq, message })),
    checkedAt: Date.now(),
    tookMs: Math.round(performance.now() - began),
  };
}
