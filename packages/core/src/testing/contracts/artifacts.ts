import assert from "node:assert/strict";
import type { ArtifactStore } from "../../stores/artifacts.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

async function bytesOf(store: ArtifactStore, id: string): Promise<Buffer | undefined> {
  const pieces = await store.bytes(id);
  if (pieces === undefined) return undefined;
  const collected: Uint8Array[] = [];
  for await (const piece of pieces) collected.push(piece);
  return Buffer.concat(collected);
}

/** What every artifact store must do. */
export function artifactStoreContract(make: MakeSubject<ArtifactStore>): ContractCase[] {
  const long = "0123456789 naïve 日本 🎉\n".repeat(20_000);
  return contract(make, {
    "text is read in parts, counted in characters": async (store) => {
      const id = await store.put(long);
      for (const [from, to] of [
        [0, 10],
        [65_530, 65_560],
        [0, long.length],
        [long.length - 5, long.length + 5],
        [300_000, 300_001],
      ] as const) {
        assert.deepEqual(await store.read(id, from, to), { text: long.slice(from, to), length: long.length });
      }
    },
    "what is out of range is empty": async (store) => {
      const id = await store.put("abc");
      assert.deepEqual(await store.read(id, 3, 10), { text: "", length: 3 });
      assert.deepEqual(await store.read(id, 100, 200), { text: "", length: 3 });
      assert.deepEqual(await store.read(id, 2, 1), { text: "", length: 3 });
    },
    "an empty text is a text": async (store) => {
      const id = await store.put("");
      assert.deepEqual(await store.read(id, 0, 10), { text: "", length: 0 });
      assert.deepEqual(await bytesOf(store, id), Buffer.alloc(0));
    },
    "an unknown id has nothing": async (store) => {
      assert.equal(await store.read("art_none", 0, 10), undefined);
      assert.equal(await store.bytes("art_none"), undefined);
    },
    "the same content has the same id, however it came": async (store) => {
      const id = await store.put(long);
      assert.equal(await store.put(long), id);
      assert.equal(await store.put(Buffer.from(long)), id);
      const cut = Array.from({ length: Math.ceil(long.length / 777) }, (_, index) =>
        Buffer.from(long.slice(index * 777, (index + 1) * 777)),
      );
      const whole = Buffer.concat([Buffer.from(long)]);
      async function* odd() {
        for (let at = 0; at < whole.length; at += 1_003) yield whole.subarray(at, at + 1_003);
      }
      assert.ok(cut.length > 1);
      assert.equal(await store.write(odd()), id);
      assert.notEqual(await store.put(`${long}!`), id);
      assert.equal((await store.read(id, 65_530, 65_560))?.text, long.slice(65_530, 65_560));
    },
    "bytes come back as they were": async (store) => {
      const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 256));
      const id = await store.put(bytes);
      assert.deepEqual(await bytesOf(store, id), bytes);
    },
    "what is known of content is kept with it, the more careful of all who kept it": async (
      store,
      { reopen },
    ) => {
      const labelsOf = async (of: ArtifactStore, id: string) => (await of.read(id, 0, 1))?.labels;
      const id = await store.put("a page", { integrity: "untrusted", source: "web" });
      assert.deepEqual(await labelsOf(store, id), { integrity: "untrusted", source: "web" });
      async function* pieces() {
        yield "a ";
        yield "page";
      }
      const again = { integrity: "trusted", confidentiality: "private", source: "file" } as const;
      assert.equal(await store.write(pieces(), again), id);
      await store.put("a page");
      const joined = { integrity: "untrusted", confidentiality: "private", source: "web, file" };
      assert.deepEqual(await labelsOf(store, id), joined);
      assert.equal(await labelsOf(store, await store.put("unlabelled")), undefined);
      async function* labelled() {
        yield "written";
      }
      assert.deepEqual(await labelsOf(store, await store.write(labelled(), again)), again);
      if (reopen !== undefined) assert.deepEqual(await labelsOf(await reopen(), id), joined);
    },
    "what fails on the way in is not kept": async (store) => {
      async function* broken() {
        yield "x".repeat(100_000);
        throw new Error("the source broke");
      }
      await assert.rejects(store.write(broken()), /the source broke/);
      const id = await store.put("x".repeat(100_000));
      assert.equal((await store.read(id, 0, 1))?.length, 100_000);
    },
    "everything is there after a restart": async (store, { reopen }) => {
      if (reopen === undefined) return;
      const id = await store.put(long);
      const again = await reopen();
      assert.equal((await again.read(id, 0, long.length))?.text, long);
    },
  });
}
