import { Executor, ToolrigError } from "@toolrig/core";
import { scriptedTool } from "@toolrig/core/testing";
import { openStore, type Store, type StoreOptions } from "@toolrig/store";

/** What a program sees that works on a store in a bad state. */
export interface Attempt {
  at: "open" | "write" | "nowhere";
  problem: string;
  message: string;
  /** The failure code of a call with side effects. */
  refusal?: string;
  /** How often its tool ran all the same. */
  effects: number;
  /** Whether it ran when the executor was told to run what cannot be recorded. */
  allowed?: boolean;
  /** Whether a tool that only reads was served meanwhile. */
  readServed: boolean;
  recordsRead: number;
}

export async function attempt(
  path: string,
  options: StoreOptions = {},
  first: (store: Store) => void | Promise<void> = () => {},
): Promise<Attempt> {
  let store: Store;
  try {
    store = openStore(path, options);
  } catch (error) {
    return {
      ...problemOf(error),
      at: "open",
      effects: 0,
      readServed: await read(new Executor({ tools: [reader()] })),
      recordsRead: 0,
    };
  }
  await first(store);
  const write = scriptedTool({ name: "write_note", safety: { sideEffects: "write" } });
  const ledger = store.ledger;
  const careful = new Executor({ tools: [write, reader()], ledger, store: store.records });
  const refused = await careful.call({ id: "c1", name: "write_note", arguments: {} });
  const effects = write.calls.length;
  const seen: Attempt = {
    ...(await problemOfWriting(store)),
    at: "write",
    effects,
    readServed: await read(careful),
    recordsRead: countRecords(store),
  };
  if (refused.failure !== undefined) seen.refusal = refused.failure.code;
  const bold = new Executor({ tools: [write], ledger, onUnrecorded: "run" });
  seen.allowed = !(await bold.call({ id: "c2", name: "write_note", arguments: {} })).isError;
  await careful.drain();
  try {
    store.close();
  } catch {
    // A file in this state may refuse even that.
  }
  return seen;
}

function reader() {
  return scriptedTool({ name: "read_note", safety: { sideEffects: "read", idempotent: true } });
}

async function read(executor: Executor): Promise<boolean> {
  return !(await executor.call({ id: "c", name: "read_note", arguments: {} })).isError;
}

async function problemOfWriting(store: Store): Promise<{ problem: string; message: string }> {
  try {
    await store.catalog.put({ kind: "tool", name: "x", spec: "x".repeat(10_000) });
    return { problem: "none", message: "the write succeeded" };
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): { problem: string; message: string } {
  if (!ToolrigError.isInstance(error) || error.code !== "STORE_FAILED")
    return { problem: "not a STORE_FAILED", message: String(error) };
  return { problem: (error.details as { problem: string }).problem, message: error.message };
}

function countRecords(store: Store): number {
  try {
    return store.records.query({ limit: 5 }).records.length;
  } catch {
    return 0;
  }
}
