import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Executor } from "@toolrig/core";
import { type CrashScenario, crashableStore, scriptedTool } from "@toolrig/core/testing";
import { openStore } from "@toolrig/store";

/** Makes calls and records them; notes beside the store how many records it was told are stored.
 * It waits for them every ten batches, so that a stage is the same one however busy the machine is. */
export const scenario: CrashScenario = async ({ folder, point, given }) => {
  const store = openStore(join(folder, "rig.db"));
  const noted = {
    async store(records: Parameters<typeof store.records.store>[0]) {
      await store.recorder.store(records);
      appendFileSync(join(folder, "stored"), `${records.length}\n`);
    },
  };
  const executor = new Executor({
    tools: [scriptedTool({ name: "say_hello" })],
    store: crashableStore(noted, point),
  });
  for (let index = 0; index < (given as number); index++) {
    const calls = Array.from({ length: 7 }, (_, call) => ({
      id: `c${call}`,
      name: "say_hello",
      arguments: { index },
    }));
    await executor.batch(calls);
    if (index % 10 === 9) await executor.drain();
  }
  store.close();
};
