import { Executor } from "@toolrig/core";
import { expect, test } from "vitest";
import { openStore } from "./open-store.ts";

test("what waits in a closed store is answered with a rejection, not thrown", async () => {
  const store = openStore(":memory:");
  const { waits } = new Executor({ waits: store.waits });
  store.close();
  const [listed, counted] = [waits.list(), waits.counts()];
  await expect(listed).rejects.toThrow("closed");
  await expect(counted).rejects.toThrow("closed");
});
